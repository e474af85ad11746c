import { defined } from '../../shared/job/defined.ts';
import { RowUnreadableError } from '../../shared/job/errors.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import type { JobFilter } from '../jobs/job-filter.ts';
import type { BulkRow } from './bulk-rows.ts';
import type { BulkRequest } from './bulk-request.ts';
import type { BulkFailure, BulkProgress, BulkReport } from './bulk-verbs.ts';

/**
 * Jobs counted in `matched` without a recorded result: those of the current step, which the row of the
 * jobs met by `step` lists, or the `ids` that a stop kept the step from reaching.
 */
export interface Unsettled {
  readonly count: number;
  readonly step?: number;
  readonly ids?: readonly JobId[];
}

/** The state of a bulk action, as stored in its row: plain JSON, instants in epoch milliseconds. */
export interface BulkState extends BulkRequest {
  readonly id: string;
  readonly actor: string;
  /** Only jobs that existed by then are acted on. */
  readonly startedAt: number;
  updatedAt: number;
  status: BulkReport['status'];
  complete: boolean;
  matched: number;
  done: number;
  leftAlone: Record<string, number>;
  failed: number;
  failures: BulkFailure[];
  readUnits: number;
  /** Steps that were written down. */
  steps: number;
  /** The current pass over all places, from 1; jobs that it found for the first time; where it continues. */
  pass: number;
  passMet: number;
  cursor?: string | undefined;
  /** `until`: the end of its time, in epoch milliseconds. */
  canary?: { readonly id: string; readonly type?: string; readonly until: number; readonly outcome: string };
  unsettled?: Unsettled | undefined;
}

/** A bulk action that has done nothing yet. */
export function newBulk(request: BulkRequest, begun: Pick<BulkState, 'id' | 'actor' | 'startedAt' | 'status'>): BulkState {
  return {
    ...request,
    ...begun,
    updatedAt: begun.startedAt,
    complete: false,
    matched: 0,
    done: 0,
    leftAlone: {},
    failed: 0,
    failures: [],
    readUnits: 0,
    steps: 0,
    pass: 1,
    passMet: 0,
  };
}

/** The state that a row keeps. Throws RowUnreadableError. */
export function stateOf(row: BulkRow): BulkState {
  try {
    const state = JSON.parse(row.state) as BulkState;
    // Rows from before the verb got its name.
    return (state.action.verb as string) === 'activate' ? { ...state, action: { verb: 'resume' } } : state;
  } catch {
    throw new RowUnreadableError('state', row.state);
  }
}

/** The row of a state; without a lock no process is running it. */
export function rowOf(state: BulkState, lock?: { readonly owner: string; readonly until: number }): BulkRow {
  return {
    id: state.id,
    state: JSON.stringify(state),
    steps: state.steps,
    updatedAt: state.updatedAt,
    ...(lock === undefined ? {} : { lockOwner: lock.owner, lockExpiresAt: lock.until }),
  };
}

/** How far it is, for `onProgress`. */
export function progressOf({ matched, done, leftAlone, failed, readUnits, unsettled }: BulkState): BulkProgress {
  return { matched: matched - (unsettled?.count ?? 0), done, leftAlone: { ...leftAlone }, failed, readUnits };
}

/** What its caller gets. */
export function reportOf(state: BulkState): BulkReport {
  const { id, action, status, complete, canary, failures, startedAt, updatedAt, actor, reason } = state;
  return {
    ...progressOf(state),
    ...(status === 'dry-run' ? {} : { id }),
    action,
    filter: state.filter satisfies JobFilter,
    status,
    complete,
    ...(canary === undefined ? {} : { canary: { id: canary.id, outcome: canary.outcome } }),
    failures: [...failures],
    startedAt: new Date(startedAt),
    updatedAt: new Date(updatedAt),
    actor,
    ...defined({ reason }),
  };
}

/** What is known of one from its row alone. Throws RowUnreadableError. */
export function reportOfRow(row: BulkRow): BulkReport {
  const { lockExpiresAt } = row;
  return { ...reportOf(stateOf(row)), ...(lockExpiresAt === undefined ? {} : { heldUntil: new Date(lockExpiresAt) }) };
}
