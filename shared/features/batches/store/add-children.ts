import { BatchClosedError, StoreUnavailableError } from '../../../job/errors.ts';
import { LIMITS } from '../../../job/size-limits.ts';
import type { Condition, SingleWrite, Tables, Write } from '../../../ports/tables.ts';
import { batchBuilderKey, batchHeadKey } from './batch-rows.ts';
import { noRow, unchanged } from '../../../store/conditions.ts';
import { type NewJob, putOf } from '../../../store/create.ts';
import { rowBytes } from '../../../store/row-bytes.ts';
import { tryTransact } from '../../../store/transact.ts';

/** The batch is open: its builder may add to it. */
export const batchIsOpen = (batch: string): Write => ({
  op: 'check',
  table: 'control',
  key: batchHeadKey(batch),
  condition: stateIs('open'),
});

/** The state of a batch's head. */
export const stateIs = (state: 'open' | 'sealed'): Condition => ({ test: 'equals', attribute: 'state', value: state });

/** How a batch counts what its builder adds one by one, with the job's own key or id as the fence. */
export const countedByBuilder = (batch: string): readonly Write[] => [
  batchIsOpen(batch),
  { op: 'update', table: 'control', key: batchBuilderKey(batch), set: {}, add: { total: 1 } },
];

/** The head's check and the builder's counter. */
const OWN_WRITES = 2;

/** Packs new jobs into transactions of at most 100 actions and 3.5 MB, with what counts them. */
export function packChildren(children: readonly NewJob[]): readonly (readonly NewJob[])[] {
  const chunks: NewJob[][] = [];
  let bytes = 0;
  for (const child of children) {
    const size = rowBytes(putOf(child).row);
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length + OWN_WRITES === LIMITS.transactionActions || bytes + size > LIMITS.transactionBytes) {
      chunks.push([child]);
      bytes = size;
    } else {
      chunk.push(child);
      bytes += size;
    }
  }
  return chunks;
}

/** One write of a builder. `token` is fresh for it; `known` are those of its earlier writes that may be the last one that was applied. */
export interface ChildrenTerms {
  readonly token: string;
  readonly known: readonly (string | undefined)[];
}

const TRIES = 3;

/**
 * Puts children and counts them, in one transaction. It is conditional on the builder's previous write, so that however often and late it
 * is repeated, it is applied once. Throws BatchClosedError when the batch is not open any more; after a StoreUnavailableError
 * nothing is known, and the next write finds out which one it follows.
 */
export async function addChildren(tables: Tables, batch: string, children: readonly NewJob[], terms: ChildrenTerms): Promise<void> {
  const puts: SingleWrite[] = children.map((child) => putOf(child, noRow(child.ready ? 'id' : 'shard')));
  let before = terms.known.at(-1);
  let lostReplies = 0;
  for (let look = 0; look <= terms.known.length + TRIES; look++) {
    const count: Write = {
      op: 'update',
      table: 'control',
      key: batchBuilderKey(batch),
      set: { last: terms.token },
      add: { total: children.length },
      condition: unchanged('last', before),
    };
    const writes = { head: batchIsOpen(batch), count, puts };
    const outcome = await tryTransact(tables, `children/${batch}/${before ?? ''}/${terms.token}`, writes).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError) || ++lostReplies === TRIES) throw error;
      return undefined;
    });
    if (outcome === undefined) continue;
    if (outcome.applied) return;
    const last = outcome.row('count')?.['last'];
    if (last === terms.token) return;
    if (outcome.failed('head')) throw new BatchClosedError(batch);
    if (!outcome.failed('count') || !terms.known.includes(last as string | undefined)) throw outcome.error();
    before = last as string | undefined;
  }
  throw new StoreUnavailableError('add children', new Error('an earlier write of the same builder stayed in the way'));
}
