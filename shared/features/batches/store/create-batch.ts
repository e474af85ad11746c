import { type BatchCallback, type BatchHead, hasEnded, sumCounts } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import { BatchClosedError, InvalidInputError } from '../../../job/errors.ts';
import { iso } from '../../../job/instant.ts';
import type { Job } from '../../../job/job.ts';
import type { Condition, Tables, Write } from '../../../ports/tables.ts';
import { stateIs } from './add-children.ts';
import { batchCallbackKey, batchHeadKey, batchHeadRow, batchListKey, countsOf, readBatch, readBatchHead } from './batch-rows.ts';
import { all, noRow } from '../../../store/conditions.ts';
import { batchLeafKey } from '../../../store/control-rows.ts';
import type { NewJob } from '../../../store/create.ts';
import { encodeJob, withoutLease } from '../../../store/job-codec.ts';
import { transact } from '../../../store/transact.ts';

/** A callback of a batch that is about to be created. */
export interface NewCallback extends Pick<NewJob, 'job' | 'startWithinMs'> {
  readonly name: BatchCallback;
}

/** A callback's job as its row keeps it: JSON, in which each quote of its payload takes two bytes, and each escaped one four. */
export const callbackJson = (job: Job): string => JSON.stringify(encodeJob(withoutLease(job)));

/** A batch that is about to be created. */
export interface NewBatch {
  readonly head: BatchHead;
  readonly callbacks: readonly NewCallback[];
  /** Writes by which the parent counts it; the first checks that the parent still accepts children. */
  readonly counted: readonly Write[];
  readonly token: string;
}

/** Writes an open batch without children, in one transaction. Throws InvalidInputError for an id that is taken, BatchClosedError for a parent that takes no more. */
export async function createBatchRows(tables: Tables, { head, callbacks, counted, token }: NewBatch): Promise<void> {
  const list = { ...batchListKey(head.id), createdAt: iso(head.createdAt), ...defined({ tenant: head.tenant }) };
  const outcome = await transact(tables, `batch/${head.id}/${token}`, {
    head: { op: 'put', table: 'control', row: { ...batchHeadRow(head), token }, condition: noRow('pk') },
    callbacks: callbacks.map(({ name, job, startWithinMs }): Write => ({
      op: 'put',
      table: 'control',
      row: { ...batchCallbackKey(head.id, name), json: callbackJson(job), ...defined({ startWithinMs }) },
    })),
    list: { op: 'put', table: 'control', row: list },
    counted,
  });
  if (outcome.applied) return;
  if (!outcome.failed('head')) throw new BatchClosedError(head.parent ?? '');
  if (outcome.row('head')?.['token'] === token) return;
  throw new InvalidInputError('id', head.id, 'A batch with this id exists. Use another id, or leave it out.');
}

/** How a parent that is open counts a batch of its own. */
export const countedByOpenParent = (parent: string, leaf: number): readonly Write[] => [
  { op: 'check', table: 'control', key: batchHeadKey(parent), condition: stateIs('open') },
  { op: 'update', table: 'control', key: batchLeafKey(parent, leaf), set: {}, add: { total: 1 } },
];

const MAX_DEPTH = 32;

/** Refuses an own id that is that of an ancestor, which would wait for itself. A read for each ancestor. */
export async function checkLineage(tables: Tables, id: string, parent: string): Promise<void> {
  let ancestor: string | undefined = parent;
  for (let depth = 0; ancestor !== undefined; depth++) {
    if (ancestor === id) throw new InvalidInputError('parent', parent, `Batch ${id} would wait for itself. Give it another parent or id.`);
    if (depth === MAX_DEPTH) throw new InvalidInputError('parent', parent, `Nest batches at most ${MAX_DEPTH} deep.`);
    ancestor = (await readBatchHead(tables, ancestor))?.parent;
  }
}

/** What sealing or cancelling found; both are safe to repeat. */
export type Closed = 'sealed' | 'cancelled' | 'not-found';

/** The builder adds no more: from now on its callbacks fire. One write. */
export async function sealBatchRow(tables: Tables, id: string, now: number): Promise<Closed> {
  const outcome = await tables.write({
    op: 'update',
    table: 'control',
    key: batchHeadKey(id),
    set: { state: 'sealed', sealedAt: iso(now) },
    condition: stateIs('open'),
  });
  if (!outcome.applied && outcome.row === undefined) return 'not-found';
  return outcome.row?.['cancelledAt'] === undefined ? 'sealed' : 'cancelled';
}

/**
 * Its children end as cancelled when they are received; running ones finish. Also seals it. A batch that had finished
 * is cancelled only while a redriven child has not ended. Two writes; for a finished batch also a read, and a third write if it is cancelled.
 */
export async function cancelBatchRow(tables: Tables, id: string, now: number): Promise<Closed> {
  if ((await sealBatchRow(tables, id, now)) === 'not-found') return 'not-found';
  const notCancelled: Condition = { test: 'absent', attribute: 'cancelledAt' };
  const cancel = async (condition: Condition) =>
    tables.write({ op: 'update', table: 'control', key: batchHeadKey(id), set: { cancelledAt: iso(now) }, condition });
  const outcome = await cancel(all(notCancelled, { test: 'absent', attribute: 'finishedAt' }));
  if (outcome.applied || outcome.row?.['cancelledAt'] !== undefined) return 'cancelled';
  const seen = await readBatch(tables, id);
  if (seen !== undefined && !hasEnded(sumCounts(seen.counting.map(countsOf)))) await cancel(notCancelled);
  return 'cancelled';
}
