import type { LeasedJob } from '../../shared/core/job.ts';
import { listCause, noHandlerCause, suspend } from '../../shared/store/suspend.ts';
import { ifCancelled } from './if-cancelled.ts';
import { type ExecutorDeps, note } from './deps.ts';

/** Attribute in which a job that found no handler keeps how often that happened, so that its backoff goes on. */
export const NO_HANDLER_TRIES = 'noHandlerTries';

/** When a job of an unknown type is tried again: doubling, within the settings' bounds. */
export function noHandlerDelayMs(
  tries: number,
  settings: { readonly noHandlerFirstRetryMs: number; readonly noHandlerMaxRetryMs: number },
): number {
  return Math.min(settings.noHandlerFirstRetryMs * 2 ** tries, settings.noHandlerMaxRetryMs);
}

/** After a roll-back or a late deploy a type may be unknown for a while: its jobs wait in Suspended, no counter moves. */
export async function suspendUnknown(deps: ExecutorDeps, job: LeasedJob): Promise<void> {
  const now = deps.clock.now();
  const before = countOf(job.extra?.[NO_HANDLER_TRIES]);
  const marked = { ...job, extra: { ...job.extra, [NO_HANDLER_TRIES]: before + 1 } };
  const tryAt = now + noHandlerDelayMs(before, deps.deployment.settings);
  const cause = noHandlerCause(job.type);
  await listCause(deps.tables, cause, now);
  const result = await suspend(deps.tables, marked, { cause, now, tryAt, tries: before + 1 });
  if (result.result === 'suspended') note(deps, job, 'suspended', { reason: 'no-handler' });
  else await ifCancelled(deps, job, result);
}

/** What is no count begins anew: the attribute only paces, so a row that was damaged there is none that cannot be read. */
function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
