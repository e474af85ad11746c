import type { RowKey, TableName, Write } from '../../../shared/ports/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Step, StoreRequest } from '../simulation/world/sim-tables.ts';

/** What may happen next, and what it touches. */
export interface Move {
  /** The same move has the same name in every order that leads to it. */
  readonly name: string;
  readonly actor: string;
  /** For people. */
  readonly what: string;
  /** Rows that it writes or demands. */
  readonly writes: ReadonlySet<string>;
  /** What the names of rows that it reads begin with. */
  readonly reads: ReadonlySet<string>;
  /** It asks a queue. */
  readonly queue: boolean;
  /** Time passes, so that somebody who waits goes on. */
  readonly time: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
const row = (table: TableName, key: RowKey): string => `${table} ${Object.values(key).join('/')}`;
/** Rows for people, which say something else at each moment and decide nothing. */
const FOR_PEOPLE = /^control (workers|heartbeat|audit|statistics)/;
const rowOf = (write: Write): string => row(write.table, write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key);

/** What the names of rows that are read begin with. */
function readName({ table, partition, key }: NonNullable<StoreRequest['reads']>): string {
  if (key !== undefined) return row(table, key);
  return partition === undefined ? `${table} ` : `${table} ${partition}`;
}

/** A request to the store or to a queue as a move. */
export function moveOf(name: string, actor: string, request: StoreRequest | Step): Move {
  const move = { name, actor, writes: NOTHING, reads: NOTHING, queue: false, time: false };
  if (typeof request === 'string') return { ...move, what: request, queue: true };
  const { op, writes, reads } = request;
  const rows = writes.map((write) => `${write.op} ${rowOf(write)}`);
  const read = reads === undefined ? undefined : readName(reads);
  return {
    ...move,
    what: `${op} ${read ?? rows.join(', ')}`,
    writes: new Set(writes.map(rowOf).filter((name) => !FOR_PEOPLE.test(name))),
    reads: read === undefined ? NOTHING : new Set([read]),
  };
}

/** Time passes until something that was waited for. */
export function timeMove(order: number, ms: number): Move {
  return { name: `T${order}`, actor: 'T', what: `${ms} ms pass`, writes: NOTHING, reads: NOTHING, queue: false, time: true };
}

/**
 * Whether it is all the same which of two comes first. Writes of two actors never are, also when they touch different rows: what the
 * rules hold against each other is the store between any two of them.
 */
export function independent(a: Move, b: Move): boolean {
  if (a.time || b.time) return !(a.time && b.time) && [a, b].every((move) => move.writes.size === 0 || isAside(move));
  // What is sent is there for whoever receives.
  if (a.queue || b.queue) return !(a.queue && b.queue && [a, b].some(({ what }) => what === 'visible'));
  if (a.writes.size > 0 && b.writes.size > 0) return (a.actor === b.actor || isAside(a) || isAside(b)) && !meets(a.writes, b.writes);
  return !seen(a, b) && !seen(b, a);
}

/** What is kept of a job besides: its end is told there by those alone who write it. */
const isAside = ({ writes }: Move): boolean => [...writes].every((name) => name.startsWith('history '));

/** Whether a read may see what a write does. */
function seen({ reads }: Move, { writes }: Move): boolean {
  return [...writes].some((name) => [...reads].some((beginning) => name.startsWith(beginning)));
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((name) => others.has(name));
}
