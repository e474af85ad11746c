import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { sha256 } from '../../shared/job/hash.ts';
import { iso } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { leaves, shardsOf } from '../../shared/job/job-id.ts';
import type { Condition } from '../../shared/ports/tables.ts';
import { historyPartitions, timerDueThrough } from '../../shared/store/rows.ts';
import type { CheckedFilter } from './check-filter.ts';
import type { ListOrder } from './job-filter.ts';
import { type JobTable, scanFilter } from './match-row.ts';

/** In which order a place gives its rows. */
export type Order = ListOrder | 'none';

interface AnyPlace {
  /** Names the place in cursors; fixed for one filter. */
  readonly name: string;
  /** The same for people. */
  readonly shown: string;
  readonly order: Order;
}

/** Partitions that share a sort key, merged into one order; one list after the other. `parked-limits`: those of the limits that are listed. */
export interface MergePlace extends AnyPlace {
  readonly read: 'merge';
  readonly table: JobTable;
  readonly index?: string;
  readonly partitions: readonly (readonly string[])[] | 'parked-limits';
  readonly from?: string;
  readonly through?: string;
}

/** A whole table. */
export interface ScanPlace extends AnyPlace {
  readonly read: 'scan';
  readonly table: JobTable;
  readonly filter?: Condition;
  /** Days of History and types of dead letters that were read already. */
  readonly without?: readonly string[];
}

/** Single jobs, in any table. */
export interface IdsPlace extends AnyPlace {
  readonly read: 'ids';
  readonly ids: readonly string[];
}

export type Place = MergePlace | ScanPlace | IdsPlace;

/** The places to read for a filter, in order. No place: nothing can match. */
export interface Plan {
  readonly filter: CheckedFilter;
  readonly places: readonly Place[];
  /** Distinguishes the cursors of filters. Ignores times, which users give relative to now. */
  readonly mark: string;
}

/** Further inputs of a plan. */
export interface PlanTerms {
  /** Epoch milliseconds. */
  readonly now: number;
  /** How long History keeps. */
  readonly historyDays: number;
  /** For display: in order if keys allow it. Otherwise every table is read once, which is cheapest if all rows are needed. */
  readonly ordered?: boolean;
  /** The order that is asked for, instead of what a place gives by itself. */
  readonly order?: ListOrder;
  /** Types that have dead letters, for a list of them that names none. */
  readonly deadTypes?: readonly string[];
}

const DAY_MS = 86_400_000;
/** With more types, fingerprints or causes than this, a scan needs fewer requests. */
const MAX_MERGED = 4;
/** 16 leaves each: the first read of this many costs about 200 read units. */
const MAX_DEAD_TYPES = 24;
const MAX_DAYS = 31;

/** Decides how a filter is served: by ids, an index, a range of keys, or a scan. Throws InvalidInputError for an order that it cannot have. */
export function planOf(filter: CheckedFilter, terms: PlanTerms): Plan {
  const { order } = terms;
  const places = placesOf(filter, terms);
  const [first] = places;
  if (order !== undefined && first !== undefined && (first.order !== order || filter.states.length > 1)) {
    throw new InvalidInputError('order', order, ORDERS);
  }
  const marked = { ...timeless(filter), ...defined({ or: filter.or?.map(timeless), order }) };
  return { filter, places, mark: sha256(JSON.stringify(marked)).slice(0, 8) };
}

const ORDERS =
  'Only keys give an order, and one state at a time: waiting jobs come soonest-first or latest-first; dead letters (best with a type or fingerprint), suspended jobs of a named cause, and finished jobs come newest-first or oldest-first. Ready, running and parked jobs, and what is found by id, have none.';

function timeless({ from: _from, to: _to, createdFrom: _first, createdTo: _last, ...rest }: CheckedFilter): Omit<CheckedFilter, 'or'> {
  return rest;
}

function placesOf(filter: CheckedFilter, terms: PlanTerms): readonly Place[] {
  const { ids, states } = filter;
  const has = (...asked: readonly JobState[]): boolean => asked.some((state) => states.includes(state));
  if (states.length === 0) return [];
  if (ids !== undefined) return [{ read: 'ids', name: 'ids', shown: `${ids.length} by id`, order: 'none', ids }];
  return [
    ...(has('waiting', 'parked') ? timers(filter, terms) : []),
    ...(has('suspended') ? [suspended(filter, terms)] : []),
    ...(has('ready', 'running') ? [scan('jobs', filter)] : []),
    ...(has('dead') ? deadLetters(filter, terms) : []),
    ...(has('finished') ? history(filter, terms) : []),
  ];
}

const TABLES = { jobs: 'Jobs', timers: 'Timers', suspended: 'Suspended', deadLetters: 'DeadLetters', history: 'History' } as const;

function scan(table: JobTable, filter: CheckedFilter, without: readonly string[] = []): ScanPlace {
  const condition = scanFilter(filter);
  return {
    read: 'scan',
    name: `scan ${table}`,
    shown: `scan of ${TABLES[table]}`,
    order: 'none',
    table,
    ...defined({ filter: condition }),
    ...(without.length === 0 ? {} : { without }),
  };
}

/** The range of due times as sort keys; a range without an end is none. */
function dueRange({ from, to }: CheckedFilter): Pick<MergePlace, 'from' | 'through'> {
  return { ...(from === undefined ? {} : { from: iso(from) }), ...(to === undefined ? {} : { through: timerDueThrough(to - 1) }) };
}

function timers(filter: CheckedFilter, { ordered = false, order: asked }: PlanTerms): readonly Place[] {
  const range = dueRange(filter);
  const [waiting, parked] = [filter.states.includes('waiting'), filter.states.includes('parked')];
  if (!ordered && waiting && range.from === undefined && range.through === undefined) return [scan('timers', filter)];
  const place = { read: 'merge', table: 'timers', ...range } as const;
  const order = asked === 'latest-first' ? asked : 'soonest-first';
  return [
    ...(waiting ? [{ ...place, name: 'due', shown: 'Timers by due time', order, partitions: [shardsOf()] } as const] : []),
    ...(parked ? [{ ...place, name: 'parked', shown: 'Timers by limit', order: 'none', partitions: 'parked-limits' } as const] : []),
  ];
}

interface Served {
  readonly table: 'deadLetters' | 'suspended';
  readonly index: string;
  readonly values: readonly string[] | undefined;
  readonly order: ListOrder | undefined;
}

/** The values that every match has one of: of the filter, or of all of its alternatives together. */
function valuesOf({ values, or }: CheckedFilter, field: 'type' | 'fingerprint' | 'cause'): readonly string[] | undefined {
  const lists = values[field] === undefined ? or?.map((one) => one.values[field]) : [values[field]];
  return lists?.every((list) => list !== undefined) === true ? [...new Set(lists.flat())] : undefined;
}

function fromNewest(order: ListOrder | undefined): 'newest-first' | 'oldest-first' {
  return order === 'oldest-first' ? order : 'newest-first';
}

/** The index that holds just these rows, by time; undefined where the filter does not name its values, or too many. */
function byIndex({ from, to }: CheckedFilter, { table, index, values, order }: Served, most = MAX_MERGED): MergePlace | undefined {
  if (values === undefined || values.length > most) return undefined;
  return {
    read: 'merge',
    name: index,
    shown: `index ${index} of ${TABLES[table]}`,
    order: fromNewest(order),
    table,
    index,
    partitions: [values.flatMap((value) => leaves().map((leaf) => `${value}#${leaf}`))],
    ...(from === undefined ? {} : { from: iso(from) }),
    ...(to === undefined ? {} : { through: iso(to - 1) }),
  };
}

/** The index of dead letters that the filter, or all of its alternatives together, name values of. */
export function deadLettersByField(filter: CheckedFilter, order?: ListOrder): MergePlace | undefined {
  const of = { table: 'deadLetters', order } as const;
  return (
    byIndex(filter, { ...of, index: 'byFingerprint', values: valuesOf(filter, 'fingerprint') }) ??
    byIndex(filter, { ...of, index: 'byType', values: valuesOf(filter, 'type') })
  );
}

/** Where no field serves it, a list goes through the types that are known to have some, by time; then a scan finds what those do not hold. */
function deadLetters(filter: CheckedFilter, { deadTypes, order }: PlanTerms): readonly Place[] {
  const served = deadLettersByField(filter, order);
  if (served !== undefined) return [served];
  const known = byIndex(filter, { table: 'deadLetters', order, index: 'byType', values: deadTypes }, MAX_DEAD_TYPES);
  return known === undefined ? [scan('deadLetters', filter)] : [known, scan('deadLetters', filter, deadTypes)];
}

function suspended(filter: CheckedFilter, { order }: PlanTerms): Place {
  const served = { table: 'suspended', index: 'byCause', values: valuesOf(filter, 'cause'), order } as const;
  return byIndex(filter, served) ?? scan('suspended', filter);
}

/**
 * Finished jobs are stored by the day on which they were first due, mostly the day on which they finished. For a list those days come first, by
 * day and then by when each job was first due; then a scan finds the few that were due long before, or later.
 */
function history(filter: CheckedFilter, { now, historyDays, order, ordered = false }: PlanTerms): readonly Place[] {
  if (!ordered) return [scan('history', filter)];
  const day = (ms: number): string => iso(ms).slice(0, 10);
  const last = Math.min(now, (filter.to ?? now + 1) - 1);
  const first = Math.max(filter.from ?? 0, now - historyDays * DAY_MS, last - (MAX_DAYS - 1) * DAY_MS);
  const days: string[] = [];
  for (let at = last; day(at) >= day(first) && at >= 0; at -= DAY_MS) days.push(day(at));
  const byDay: MergePlace = {
    read: 'merge',
    name: 'history',
    shown: 'History by day',
    order: fromNewest(order),
    table: 'history',
    partitions: (order === 'oldest-first' ? days.toReversed() : days).map(historyPartitions),
  };
  return [...(days.length === 0 ? [] : [byDay]), scan('history', filter, days)];
}
