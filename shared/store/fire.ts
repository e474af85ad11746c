import type { Job, LeasedJob } from '../job/job.ts';
import { LIMITS } from '../job/size-limits.ts';
import type { Row, RowKey, Tables, Write } from '../ports/tables.ts';
import { noRow, revIs } from './conditions.ts';
import { type ReadyTerms, readyRow } from './ready-row.ts';
import { rowBytes } from './row-bytes.ts';
import { jobRow, timerKey } from './rows.ts';
import { tryTransact } from './transact.ts';

/** One timer to fire; `key` is that of its row, which is right even if `dueAt` was edited in place. */
export interface Firing {
  readonly timer: Job;
  readonly key: RowKey;
  readonly job: LeasedJob;
  readonly row: Row;
}

/** The ready row of a timer that fires. */
export function firing(timer: Job, terms: ReadyTerms, key: RowKey = timerKey(timer.id, timer.dueAt)): Firing {
  const job = readyRow(timer, terms);
  return { timer, key, job, row: jobRow(job) };
}

const WRITES_PER_TIMER = 2;

/** Packs firings into transactions of at most 100 actions and 3.5 MB. */
export function packFirings<One extends Firing>(firings: readonly One[]): readonly (readonly One[])[] {
  const pages: One[][] = [];
  let bytes = 0;
  for (const one of firings) {
    // Twice: whether DynamoDB's limit counts the deleted item too is not said.
    const size = 2 * rowBytes(one.row);
    const page = pages.at(-1);
    if (page === undefined || (page.length + 1) * WRITES_PER_TIMER > LIMITS.transactionActions || bytes + size > LIMITS.transactionBytes) {
      pages.push([one]);
      bytes = size;
    } else {
      page.push(one);
      bytes += size;
    }
  }
  return pages;
}

/**
 * Moves a page of timers to Jobs in one transaction and returns those that were moved. Timers that another process moved,
 * cancelled or rescheduled are left out and the rest is tried again; a put that finds a job under its id removes the timer
 * only, because that job is the same one.
 */
export async function fire(tables: Tables, page: readonly Firing[]): Promise<readonly Firing[]> {
  // Two timers with one id, which only a restored or hand-made row can cause: the second finds the job of the first next time.
  let left = page.filter(({ job }, index) => page.findIndex((one) => one.job.id === job.id) === index);
  for (let round = 0; left.length > 0 && round < 4; round++) {
    const writes = left.flatMap(({ timer, key, job, row }): [string, Write][] => [
      [timerOf(job), { op: 'delete', table: 'timers', key, condition: revIs(timer.rev) }],
      [job.id, { op: 'put', table: 'jobs', row, condition: noRow('id') }],
    ]);
    const token = `fire/${left.map(({ job }) => `${job.id}${job.rev}${job.lockOwner}`).join()}`;
    const outcome = await tryTransact(tables, token, Object.fromEntries(writes));
    if (outcome.applied) return left;
    const free = left.filter(({ job }) => outcome.spared(timerOf(job)));
    for (const one of free) if (outcome.failed(one.job.id)) await dropTwin(tables, one);
    left = free.filter(({ job }) => outcome.spared(job.id));
  }
  return [];
}

const timerOf = ({ id }: Job): string => `timer ${id}`;

/** The job exists already, which only a restored or hand-made row can cause: deletes the timer and keeps the job. */
async function dropTwin(tables: Tables, { timer, key }: Firing): Promise<void> {
  await tables.write({ op: 'delete', table: 'timers', key, condition: revIs(timer.rev) });
}
