import type { RowKey, TableName, Write } from '../../../shared/ports/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Step, StoreRequest } from '../simulation/world/sim-tables.ts';

/** What may happen next, and what it touches. */
export interface Move {
  /** The same move has the same name in every order that leads to it. */
  readonly name: string;
  readonly actor: string;
  /** What it asks for, without the rows: `transact-jobs+control`, `send`. With the name it stays the same in another checkout. */
  readonly kind: string;
  /** For people. */
  readonly what: string;
  /** Rows that it writes or demands. */
  readonly writes: ReadonlySet<string>;
  /** What the names of rows that it reads begin with. */
  readonly reads: ReadonlySet<string>;
  /** It asks a queue. */
  readonly queue: boolean;
  /** Time passes, so that somebody who waits goes on: this actor, or anybody if none is named. */
  readonly time: boolean;
  readonly ms?: number;
  /** Which step brought it about, counted from 0, -1 for none of them; absent: the one before it could first be made. */
  readonly cause?: number;
  readonly wakes?: string;
  /** Whom time wakes if it passes again and again, before it is anybody else's turn. */
  readonly leadsTo?: ReadonlySet<string | undefined>;
  /** Its process dies of it, and with that everything else that its actor has under way. */
  readonly ends?: true;
  /** A write that arrives after its process gave up waiting: possible only while it would change something. */
  readonly late?: true;
}

const NOTHING: ReadonlySet<string> = new Set();
const row = (table: TableName, key: RowKey): string => `${table} ${Object.values(key).join('/')}`;
/** Rows for people, which say something else at each moment and decide nothing. */
const FOR_PEOPLE = /^control (workers|heartbeat|audit|statistics)/;
export const isForPeople = (name: string): boolean => FOR_PEOPLE.test(name);
const rowOf = (write: Write): string => row(write.table, write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key);

/** What the names of rows that are read begin with. */
function readName({ table, partition, key }: NonNullable<StoreRequest['reads']>): string {
  if (key !== undefined) return row(table, key);
  return partition === undefined ? `${table} ` : `${table} ${partition}`;
}

/** A request to the store or to a queue as a move. */
export function moveOf(name: string, actor: string, request: StoreRequest | Step): Move {
  const move = { name, actor, writes: NOTHING, reads: NOTHING, queue: false, time: false };
  if (typeof request === 'string') return { ...move, kind: request, what: request, queue: true };
  const { op, writes, reads } = request;
  const tables = reads === undefined ? writes.map(({ table }) => table) : [reads.table];
  const rows = writes.map((write) => `${write.op} ${rowOf(write)}`);
  const read = reads === undefined ? undefined : readName(reads);
  return {
    ...move,
    kind: `${op}-${[...new Set(tables)].join('+')}`,
    what: `${op} ${read ?? rows.join(', ')}`,
    writes: new Set(writes.map(rowOf).filter((name) => !isForPeople(name))),
    reads: read === undefined ? NOTHING : new Set([read]),
  };
}

/** A move as an order names it: who, which of its requests, and what that asks for. Time has no number: it would change with everything. */
export const labelOf = ({ name, kind, time }: Move): string => (time ? 'time' : `${name}.${kind}`);

/** Time passes until something that was waited for. `wakes`: whom, one after another, if nothing else happens. */
export function timeMove(name: string, ms: number, wakes: readonly (string | undefined)[]): Move {
  const move = { name, actor: 'T', ms, kind: 'time', what: `${ms} ms pass`, writes: NOTHING, reads: NOTHING, queue: false, time: true };
  return { ...move, leadsTo: new Set(wakes), ...(wakes[0] === undefined ? {} : { wakes: wakes[0] }) };
}

/**
 * Whether a move must be tried before another one although no race in a played order would show it: time that passes, now or when it goes on
 * passing, since what it brings about next depends on what was done before; and whatever is never done when the other one ends its actor.
 */
export function mayComeFirst(first: Move, move: Move): boolean {
  if (first.time) return !move.time && [...(first.leadsTo ?? [])].some((wakes) => !isApartFrom(move, wakes));
  return move.ends === true && first.actor === move.actor;
}

/** A write that lingers was there already, at a moment when it changed nothing. */
export function arrivedBefore({ name, actor, kind, what }: Move): Move {
  return {
    name: `${name}-`,
    actor,
    kind,
    what: `${what}, before`,
    writes: NOTHING,
    reads: NOTHING,
    queue: false,
    time: false,
    late: true,
    ends: true,
  };
}

/** A move of which its process dies, before it is made or after. */
export function deadly(move: Move, when: 'before' | 'after'): Move {
  return when === 'after' ? { ...move, ends: true } : { ...move, writes: NOTHING, reads: NOTHING, queue: false, ends: true };
}

/**
 * Whether it is all the same which of two comes first. Writes of two actors never are, also when they touch different rows: what the
 * rules hold against each other is the store between any two of them.
 */
export function independent(a: Move, b: Move): boolean {
  if (a.time && b.time) return a.wakes !== undefined && b.wakes !== undefined && a.wakes !== b.wakes;
  if (a.time || b.time) return a.time ? isApartFrom(b, a.wakes) : isApartFrom(a, b.wakes);
  if (a.actor === b.actor && (a.ends === true || b.ends === true)) return false;
  // What is sent is there for whoever receives.
  if (a.queue || b.queue) return !(a.queue && b.queue && [a, b].some(({ what }) => what === 'visible'));
  if (a.writes.size > 0 && b.writes.size > 0) return (a.actor === b.actor || isAside(a) || isAside(b)) && !meets(a.writes, b.writes);
  return !seen(a, b) && !seen(b, a);
}

/**
 * Whether it is all the same if time passes before or after a move. What happens in one process alone is nothing to what others do. A message
 * on its way is something to wait for, so what is sent changes what time brings about next, and what is received depends on the time.
 */
function isApartFrom(move: Move, wakes: string | undefined): boolean {
  if (move.queue || move.actor === wakes) return false;
  if (wakes !== undefined) return true;
  return move.ends !== true && (move.writes.size === 0 || isAside(move));
}

/** What is kept of a job besides: its end is told there by those alone who write it. */
const isAside = ({ writes }: Move): boolean => [...writes].every((name) => name.startsWith('history '));

/** Whether a read may see what a write does. */
function seen({ reads }: Move, { writes }: Move): boolean {
  if (reads.size === 0) return false;
  for (const name of writes) for (const beginning of reads) if (name.startsWith(beginning)) return true;
  return false;
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const name of some) if (others.has(name)) return true;
  return false;
}
