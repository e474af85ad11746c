import type { LeasedJob } from '../../../shared/job/job.ts';
import { listCause, newerVersionCause, noHandlerCause, suspend, unknownCodecCause } from '../../../shared/store/suspend.ts';
import { ifCancelled } from './if-cancelled.ts';
import { type ExecutorDeps, note } from '../deps.ts';

/** Attribute that counts how often a job found no handler, so that its backoff continues. */
export const NO_HANDLER_TRIES = 'noHandlerTries';

/** When a job of an unknown type is tried again: doubling, within the settings' bounds. */
export function noHandlerDelayMs(
  tries: number,
  settings: { readonly noHandlerFirstRetryMs: number; readonly noHandlerMaxRetryMs: number },
): number {
  return Math.min(settings.noHandlerFirstRetryMs * 2 ** tries, settings.noHandlerMaxRetryMs);
}

/** What of a job the code does not know: its type, the version of its payload, or the codec that encoded it. */
export type Unknown = 'no-handler' | 'newer-version' | 'unknown-codec';

const CAUSES: Readonly<Record<Unknown, (job: LeasedJob) => string>> = {
  'no-handler': ({ type }) => noHandlerCause(type),
  'newer-version': newerVersionCause,
  'unknown-codec': unknownCodecCause,
};

/**
 * Suspends a job of an unknown type, or whose payload is newer than the code or encoded by a codec that it does not have. After a roll-back or in the middle of a deploy that may last
 * a while. Changes no counter.
 */
export async function suspendUnknown(deps: ExecutorDeps, job: LeasedJob, unknown: Unknown): Promise<void> {
  const now = deps.clock.now();
  const before = countOf(job.extra?.[NO_HANDLER_TRIES]);
  const marked = { ...job, extra: { ...job.extra, [NO_HANDLER_TRIES]: before + 1 } };
  const tryAt = now + noHandlerDelayMs(before, deps.deployment.settings);
  const cause = CAUSES[unknown](job);
  await listCause(deps.tables, cause, now);
  const result = await suspend(deps.tables, marked, { cause, now, tryAt, tries: before + 1 });
  if (result.result === 'suspended') note(deps, job, 'suspended', { reason: unknown });
  else await ifCancelled(deps, job, result);
}

/** An invalid count starts again at zero: the attribute only paces retries, so damage to it does not make the row unreadable. */
function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
