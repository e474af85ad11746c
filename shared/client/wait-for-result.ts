import { defined } from '../job/defined.ts';
import { type Duration, durationMs } from '../job/duration.ts';
import { storedInstant } from '../job/instant.ts';
import type { JobError, JobState } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import { checkOptions } from '../job/names.ts';
import { decodePayload } from '../job/payload.ts';
import { resultKey } from '../store/control-rows.ts';
import type { Located } from '../store/locate.ts';
import type { ClientDeps } from './client-deps.ts';

/** How a wait for a job's result ended. */
export type JobResult<Result = unknown> =
  | { readonly outcome: 'result'; readonly result: Result }
  /** It finished without a result, or with one that is no longer kept; or it ended during the wait, and nothing is kept of it, or not yet. */
  | { readonly outcome: 'no-result' }
  /** By its entry in History. */
  | { readonly outcome: 'cancelled' }
  /** A dead letter. A redrive may still produce a result: call again after it. */
  | { readonly outcome: 'dead'; readonly reason: string; readonly error?: JobError }
  /** The time is over; `state` is where the job is. */
  | { readonly outcome: 'timeout'; readonly state: JobState }
  /** It never was, or it ended before the wait, and nothing is kept of it: no more, or not yet. For a client of one tenant also a job of another. */
  | { readonly outcome: 'not-found' };

/** Options of a wait. */
export interface WaitOptions {
  /** For how long to look for the result. 0 looks once. Default 30 seconds. */
  readonly timeout?: Duration;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/** Polls at growing intervals until the job has ended or the time is over: the reads that `find` needs for the job, and one for its result. */
export async function waitForResult<Result>(
  deps: ClientDeps,
  find: (id: JobId) => Promise<Located | undefined>,
  id: JobId,
  options: WaitOptions,
): Promise<JobResult<Result>> {
  checkOptions(options, ['timeout'], 'options');
  const timeoutMs = options.timeout === undefined ? DEFAULT_TIMEOUT_MS : durationMs(options.timeout, 'timeout');
  const until = deps.clock.now() + timeoutMs;
  let waitMs = FIRST_WAIT_MS;
  let seenAlive = false;
  for (let missed = 0; ;) {
    const found = await find(id);
    // Asked after the job: a result is written in the very transaction that ends it.
    const result = await storedResult<Result>(deps, id);
    const ended = result ?? endOf(found);
    if (ended !== undefined) return ended;
    if (found === undefined && !seenAlive) return { outcome: 'not-found' };
    // History is written a moment after the end, and shows whether it was cancelled.
    if (found === undefined && ++missed > 1) return { outcome: 'no-result' };
    seenAlive = true;
    const left = until - deps.clock.now();
    if (left <= 0) return found === undefined ? { outcome: 'no-result' } : { outcome: 'timeout', state: found.state };
    await deps.clock.wait(Math.min(waitMs, left));
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
  }
}

function endOf(found: Located | undefined): Exclude<JobResult<never>, { readonly outcome: 'result' }> | undefined {
  if (found?.state === 'finished') return { outcome: found.job.outcome === 'cancelled' ? 'cancelled' : 'no-result' };
  if (found?.state !== 'dead') return undefined;
  const { reason, error } = found.job;
  return { outcome: 'dead', reason, ...defined({ error }) };
}

async function storedResult<Result>({ tables, clock, tenant }: ClientDeps, id: JobId): Promise<JobResult<Result> | undefined> {
  const row = await tables.get('control', resultKey(id));
  if (row === undefined || (storedInstant(row['until']) ?? 0) <= clock.now()) return undefined;
  if (tenant !== undefined && row['tenant'] !== tenant) return undefined;
  return { outcome: 'result', result: decodePayload(String(row['json'])) as Result };
}
