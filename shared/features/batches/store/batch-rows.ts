import { BATCH_CALLBACKS, type BatchCallback, type BatchCounts, type BatchHead } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import { RowUnreadableError } from '../../../job/errors.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { batchLeafKey, batchPartition as partition, LEAVES_PER_PARTITION } from '../../../store/control-rows.ts';
import { rowCodec } from '../../../store/row-codec.ts';

/** What a batch is, without its counters. */
export const batchHeadKey = (id: string): RowKey => ({ pk: partition(id), sk: 'head' });

/** How many children its builder added, and which of its writes was the last. */
export const batchBuilderKey = (id: string): RowKey => ({ pk: partition(id), sk: 'put' });

/** The job that is enqueued for a callback, as JSON of its row. It sorts before the head, so that looking at a batch does not read it. */
export const batchCallbackKey = (id: string, name: BatchCallback): RowKey => ({ pk: partition(id), sk: `call#${name}` });

/** Unfinished batches also have a row in one partition, so that they can be listed. */
export const batchListKey = (id: string): RowKey => ({ pk: 'batches', sk: id });

/** Every row that counts: those of the children's ends, and the builder's. */
export const countingKeys = ({ id, leaves }: Pick<BatchHead, 'id' | 'leaves'>): readonly RowKey[] => [
  ...Array.from({ length: leaves }, (_, leaf) => batchLeafKey(id, leaf)),
  batchBuilderKey(id),
];

const HEAD = rowCodec({
  state: 'text',
  leaves: 'count',
  maxFailures: 'count',
  createdAt: 'instant~',
  sealedAt: 'instant~',
  cancelledAt: 'instant~',
  finishedAt: 'instant~',
  name: 'text~',
  tenant: 'text~',
  parent: 'text~',
  told: 'text~',
});
const CHILD = rowCodec({ parentLeaf: 'count' });

/** Row of a head. */
export const batchHeadRow = (head: BatchHead): Row => ({
  ...batchHeadKey(head.id),
  ...HEAD.encode(head),
  ...defined({ parentLeaf: head.parentLeaf }),
  ...Object.fromEntries([...head.callbacks.map(calls), ...head.fired.map(firedFlag)].map((name) => [name, true])),
});

const calls = (name: BatchCallback): string => `on${name}`;

/** Attribute of a head that marks a milestone as reported. */
export const firedFlag = (name: BatchCallback): string => `${name}Fired`;

/** A head as it was read. Throws RowUnreadableError. */
export function decodeBatchHead(row: Row): BatchHead {
  const { state, leaves, ...fields } = HEAD.decode(row);
  if (state !== 'open' && state !== 'sealed') throw new RowUnreadableError('state', state);
  if (leaves < 1) throw new RowUnreadableError('leaves', leaves);
  return {
    id: String(row['pk']).slice(partition('').length),
    state,
    leaves: Math.min(leaves, MAX_LEAVES),
    createdAt: 0,
    ...(fields as Omit<typeof fields, 'told'> & Pick<BatchHead, 'told'>),
    ...(row['parent'] === undefined ? {} : CHILD.decode(row)),
    callbacks: BATCH_CALLBACKS.filter((name) => row[calls(name)] === true),
    fired: BATCH_CALLBACKS.filter((name) => row[firedFlag(name)] === true),
  };
}

/** How many counters one transaction can check in addition to its writes. */
const MAX_LEAVES = 64;
const COUNTERS = ['total', 'succeeded', 'failed', 'cancelled'] as const;

/** The counters of a row; what is no number counts as nothing. */
export function countsOf(row: Row): Partial<BatchCounts> {
  return Object.fromEntries(COUNTERS.flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]]] : [])));
}

/** A batch and the rows that count in it, as one read saw them, which is no snapshot: two rows may be of different moments. */
export interface SeenBatch {
  readonly head: BatchHead;
  readonly counting: readonly Row[];
}

/** Reads a batch without its callbacks: a strongly consistent query for each of its partitions, one or four. Undefined when there is none. */
export async function readBatch(tables: Tables, id: string): Promise<SeenBatch | undefined> {
  const read = async (part: number): Promise<readonly Row[]> =>
    (await tables.query({ table: 'control', partition: partition(id, part), from: 'head', limit: 100, consistent: true })).rows;
  const first = await read(0);
  const row = first.find(({ sk }) => sk === 'head');
  if (row === undefined) return undefined;
  const head = decodeBatchHead(row);
  const others = Array.from({ length: Math.ceil(head.leaves / LEAVES_PER_PARTITION) - 1 }, (_, part) => read(part + 1));
  const counting = [...first, ...(await Promise.all(others)).flat()].filter(({ sk }) => sk !== 'head');
  return { head, counting };
}

/** The head alone. */
export async function readBatchHead(tables: Tables, id: string): Promise<BatchHead | undefined> {
  const row = await tables.get('control', batchHeadKey(id));
  return row && decodeBatchHead(row);
}
