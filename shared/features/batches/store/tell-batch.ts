import { type BatchCallback, type BatchHead, type BatchOutcome, outcomeOf, sumCounts } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import { iso } from '../../../job/instant.ts';
import type { Job, LeasedJob } from '../../../job/job.ts';
import { jobIdFrom } from '../../../job/job-id.ts';
import type { Condition, Row, RowKey, Tables, Write } from '../../../ports/tables.ts';
import { batchCallbackKey, batchHeadKey, batchListKey, countingKeys, countsOf, firedFlag, type SeenBatch } from './batch-rows.ts';
import { all, noRow, unchanged } from '../../../store/conditions.ts';
import { batchLeafKey } from '../../../store/control-rows.ts';
import { placedAgain, takePlaceWrites } from '../../../store/group-places.ts';
import { decodeJob } from '../../../store/job-codec.ts';
import { type ReadyTerms, readyRow } from '../../../store/ready-row.ts';
import { jobRow } from '../../../store/rows.ts';
import { transact } from '../../../store/transact.ts';

/** The report of a batch in one transaction. */
export interface BatchNews {
  readonly due: readonly BatchCallback[];
  /** The outcome for the parent batch. */
  readonly forParent?: BatchOutcome;
}

/** The jobs that were enqueued; or `lost` if the batch or its counters have changed since, or another process reported first. */
export type BatchReport = { readonly result: 'told'; readonly jobs: readonly LeasedJob[] } | { readonly result: 'lost' };

/** How long a finished batch can be read. */
export const KEPT_MS = 30 * 86_400_000;

/**
 * Reports milestones of a batch: sets flags in its head and puts the callback jobs, in one transaction, so that each happens once. What depends on all
 * children having ended demands every counter as it was read, and none where there was none: the read alone is no snapshot, and a
 * child that adds children while it is read could be missed.
 */
export async function tellBatch(tables: Tables, seen: SeenBatch, news: BatchNews, terms: ReadyTerms): Promise<BatchReport> {
  const { head } = seen;
  const jobs: LeasedJob[] = [];
  for (const name of news.due.filter((one) => head.callbacks.includes(one))) {
    const row = await tables.get('control', batchCallbackKey(head.id, name));
    // Reported earlier.
    if (row === undefined) return { result: 'lost' };
    jobs.push(callbackJob(head, name, row, terms));
  }
  const outcome = await transact(tables, `tell/${head.id}/${news.due.join()}/${news.forParent ?? ''}/${terms.token}`, {
    head: headWrite(head, seen, news, terms.now),
    jobs: jobWrites(jobs),
    callbacks: callbackWrites(head, news, terms.now),
    counting: dependsOnAll(news) ? countingWrites(seen, news, terms.now) : [],
    parent: news.forParent && parentWrites(head, news.forParent, terms.token),
  });
  return outcome.applied ? { result: 'told', jobs } : { result: 'lost' };
}

const dependsOnAll = ({ due, forParent }: BatchNews): boolean => forParent !== undefined || due.some((name) => name !== 'failed');

function headWrite(head: BatchHead, seen: SeenBatch, { due, forParent }: BatchNews, now: number): Write {
  // A callback may have been read before its batch went to another tenant: it would be enqueued for the old one.
  const asRead = (['told', 'tenant'] as const).map((name) => unchanged(name, head[name]));
  const unsaid = due.map((name): Condition => ({ test: 'absent', attribute: firedFlag(name) }));
  const completes = due.includes('completed');
  return {
    op: 'update',
    table: 'control',
    key: batchHeadKey(head.id),
    set: {
      ...Object.fromEntries(due.map((name) => [firedFlag(name), true])),
      ...(completes ? { finishedAt: iso(now), outcome: outcomeOf(sumCounts(seen.counting.map(countsOf)), head), ...keptUntil(now) } : {}),
      ...defined({ told: forParent }),
    },
    condition: all({ test: 'equals', attribute: 'state', value: 'sealed' }, ...asRead, ...unsaid),
  };
}

const keptUntil = (now: number): Row => ({ expiresAt: Math.ceil((now + KEPT_MS) / 1000) });

function jobWrites(jobs: readonly LeasedJob[]): Write[] {
  return jobs.flatMap((job): Write[] => [{ op: 'put', table: 'jobs', row: jobRow(job), condition: noRow('id') }, ...takePlaceWrites(job)]);
}

/** A used callback, and those of a finished batch, are removed by TTL. */
function callbackWrites(head: BatchHead, { due }: BatchNews, now: number): Write[] {
  return head.callbacks
    .filter((name) => !head.fired.includes(name) && (due.includes(name) || due.includes('completed')))
    .map((name): Write => ({ op: 'update', table: 'control', key: batchCallbackKey(head.id, name), set: keptUntil(now) }));
}

/** Every row that counts, as it was read. */
function countingWrites({ head, counting }: SeenBatch, { due }: BatchNews, now: number): Write[] {
  const bySort = new Map(counting.map((row) => [row['sk'], row]));
  return countingKeys(head).map((key: RowKey): Write => {
    const row = bySort.get(key['sk'] ?? '');
    if (row === undefined) return { op: 'check', table: 'control', key, condition: noRow('pk') };
    const counts: Row = countsOf(row);
    const condition = all(...['total', 'succeeded', 'failed', 'cancelled'].map((name) => unchanged(name, counts[name])));
    return due.includes('completed')
      ? { op: 'update', table: 'control', key, set: keptUntil(now), condition }
      : { op: 'check', table: 'control', key, condition };
  });
}

/** Replaces the outcome that the parent counted before. The parent may have finished since, so it is listed again to be checked. */
function parentWrites({ id, parent = '', parentLeaf = 0, told }: BatchHead, outcome: BatchOutcome, token: string): Write[] {
  const key = batchLeafKey(parent, parentLeaf);
  if (told === undefined) return [{ op: 'update', table: 'control', key, set: {}, add: { [outcome]: 1 } }];
  return [
    { op: 'update', table: 'control', key, set: {}, add: { [outcome]: 1, [told]: -1 } },
    { op: 'update', table: 'control', key: batchListKey(parent), set: { revived: `${id}/${token}` } },
  ];
}

/**
 * The callback is a separate job: it has its own tries, and its batch does not count it. Its id is deterministic. `row` keeps it as it was drafted with
 * the batch; the time in which it may start begins now.
 */
export function callbackJob(head: BatchHead, name: BatchCallback, { json, startWithinMs }: Row, terms: ReadyTerms): LeasedJob {
  const drafted: Job = decodeJob(JSON.parse(String(json)) as Row);
  const id = jobIdFrom(head.sealedAt ?? head.createdAt, `${head.id}/${name}`);
  const { now } = terms;
  const startBy = typeof startWithinMs === 'number' ? { startBy: now + startWithinMs } : {};
  const due: Job = { ...drafted, id, rev: 0, dispatches: 0, dueAt: now, createdAt: now, callbackOf: head.id, ...startBy };
  return readyRow(placedAgain(due, now), terms);
}
