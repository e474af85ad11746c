import { defined } from '../../core/defined.ts';
import { sha256 } from '../../core/hash.ts';
import { iso } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';
import { leaves, shardsOf } from '../../core/job-id.ts';
import type { Condition } from '../../ports/tables.ts';
import { historyPartitions, timerDueThrough } from '../../store/rows.ts';
import type { CheckedFilter } from './check-filter.ts';
import { type JobTable, scanFilter } from './match-row.ts';

/** In which order a place gives its rows. */
export type Order = 'newest-first' | 'soonest-first' | 'none';

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

/** Single jobs, wherever they lie. */
export interface IdsPlace extends AnyPlace {
  readonly read: 'ids';
  readonly ids: readonly string[];
}

export type Place = MergePlace | ScanPlace | IdsPlace;

/** Where to look for what a filter means, in which order. No place: nothing can match. */
export interface Plan {
  readonly filter: CheckedFilter;
  readonly places: readonly Place[];
  /** Tells cursors of this filter from those of another; not by its times, which people count from now. */
  readonly mark: string;
}

/** What a plan rests on besides its filter. */
export interface PlanTerms {
  /** Epoch milliseconds. */
  readonly now: number;
  /** How long History keeps. */
  readonly historyDays: number;
  /** For people: in order where keys allow it. Without it every table is passed once, which costs least for whoever wants all. */
  readonly ordered?: boolean;
  /** Types that have dead letters, for a list of them that names none. */
  readonly deadTypes?: readonly string[];
}

const DAY_MS = 86_400_000;
/** More types, fingerprints or causes than this: a scan asks less often. */
const MOST_MERGED = 4;
/** 16 leaves each: a first look at so many costs about 200 read units. */
const MOST_DEAD_TYPES = 24;
const MOST_DAYS = 31;

/** Decides how a filter is served: by ids, an index, a range of keys, or a scan. */
export function planOf(filter: CheckedFilter, terms: PlanTerms): Plan {
  const { from: _from, to: _to, ...rest } = filter;
  return { filter, places: placesOf(filter, terms), mark: sha256(JSON.stringify(rest)).slice(0, 8) };
}

function placesOf(filter: CheckedFilter, terms: PlanTerms): readonly Place[] {
  const { ids, states } = filter;
  const has = (...asked: readonly JobState[]): boolean => asked.some((state) => states.includes(state));
  if (states.length === 0) return [];
  if (ids !== undefined) return [{ read: 'ids', name: 'ids', shown: `${ids.length} by id`, order: 'none', ids }];
  return [
    ...(has('waiting', 'parked') ? timers(filter, terms) : []),
    ...(has('suspended') ? [suspended(filter)] : []),
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

function timers(filter: CheckedFilter, { ordered = false }: PlanTerms): readonly Place[] {
  const range = dueRange(filter);
  const [waiting, parked] = [filter.states.includes('waiting'), filter.states.includes('parked')];
  if (!ordered && waiting && range.from === undefined && range.through === undefined) return [scan('timers', filter)];
  const place = { read: 'merge', table: 'timers', ...range } as const;
  return [
    ...(waiting ? [{ ...place, name: 'due', shown: 'Timers by due time', order: 'soonest-first', partitions: [shardsOf()] } as const] : []),
    ...(parked ? [{ ...place, name: 'parked', shown: 'Timers by limit', order: 'none', partitions: 'parked-limits' } as const] : []),
  ];
}

interface Served {
  readonly table: 'deadLetters' | 'suspended';
  readonly index: string;
  readonly values: readonly string[] | undefined;
}

/** The index that holds just these rows, newest first; undefined where the filter does not name its values, or too many. */
function byIndex({ from, to }: CheckedFilter, { table, index, values }: Served, most = MOST_MERGED): MergePlace | undefined {
  if (values === undefined || values.length > most) return undefined;
  return {
    read: 'merge',
    name: index,
    shown: `index ${index} of ${TABLES[table]}`,
    order: 'newest-first',
    table,
    index,
    partitions: [values.flatMap((value) => leaves().map((leaf) => `${value}#${leaf}`))],
    ...(from === undefined ? {} : { from: iso(from) }),
    ...(to === undefined ? {} : { through: iso(to - 1) }),
  };
}

/** Where no field serves it, a list goes through the types that are known to have some, newest first; then a scan finds what those do not hold. */
function deadLetters(filter: CheckedFilter, { deadTypes }: PlanTerms): readonly Place[] {
  const { fingerprint, type } = filter.values;
  const table = 'deadLetters';
  const served =
    byIndex(filter, { table, index: 'byFingerprint', values: fingerprint }) ?? byIndex(filter, { table, index: 'byType', values: type });
  if (served !== undefined) return [served];
  const known = byIndex(filter, { table, index: 'byType', values: deadTypes }, MOST_DEAD_TYPES);
  return known === undefined ? [scan(table, filter)] : [known, scan(table, filter, deadTypes)];
}

function suspended(filter: CheckedFilter): Place {
  return byIndex(filter, { table: 'suspended', index: 'byCause', values: filter.values.cause }) ?? scan('suspended', filter);
}

/**
 * Finished jobs lie by the day on which they were first due, which is mostly the day on which they finished. For a list those days come first,
 * newest first; then a scan finds the few that were due long before, or later.
 */
function history(filter: CheckedFilter, { now, historyDays, ordered = false }: PlanTerms): readonly Place[] {
  if (!ordered) return [scan('history', filter)];
  const day = (ms: number): string => iso(ms).slice(0, 10);
  const last = Math.min(now, (filter.to ?? now + 1) - 1);
  const first = Math.max(filter.from ?? 0, now - historyDays * DAY_MS, last - (MOST_DAYS - 1) * DAY_MS);
  const days: string[] = [];
  for (let at = last; day(at) >= day(first) && at >= 0; at -= DAY_MS) days.push(day(at));
  const byDay: MergePlace = {
    read: 'merge',
    name: 'history',
    shown: 'History by day',
    order: 'newest-first',
    table: 'history',
    partitions: days.map(historyPartitions),
  };
  return [...(days.length === 0 ? [] : [byDay]), scan('history', filter, days)];
}
