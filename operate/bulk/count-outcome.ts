import { errorText } from '../../shared/job/error-text.ts';
import { NightcrewError } from '../../shared/job/errors.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { cutToBytes } from '../../shared/job/size-limits.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { BulkState } from './bulk-state.ts';
import { quotedPaths } from './quoted-paths.ts';

const MAX_FAILURES = 10;
const SHOWN_BYTES = 1_024;

/** Counts a job that nothing was done to, by why. */
export function countLeftAlone({ leftAlone }: BulkState, outcome: string): void {
  leftAlone[outcome] = (leftAlone[outcome] ?? 0) + 1;
}

/** Counts and journals a job whose write failed or whose row is unreadable. Rethrows any other error. */
export function countFailed({ journal, clock }: AdminDeps, state: BulkState, id: JobId, error: unknown): void {
  if (!(error instanceof NightcrewError)) throw error;
  state.failed++;
  if (state.failures.length < MAX_FAILURES)
    state.failures.push({ id, error: cutToBytes(error.message, SHOWN_BYTES), ...quotedPaths(error) });
  journal.record({ event: 'store-failed', reason: `bulk ${state.action.verb}`, error: errorText(error, clock.now()) });
}
