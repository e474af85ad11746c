import { iso, storedInstant } from '../../../job/instant.ts';
import type { Scalar } from '../../../job/job.ts';
import {
  COUNTS,
  type Counted,
  type MinuteSums,
  MAX_NAMES,
  NAMED_COUNTS,
  type NamedCount,
  type StatisticsKind,
} from '../model/statistics.ts';
import { bump, type Sums } from './statistics-sums.ts';
import type { Row, RowKey, Tables, WriteOutcome } from '../../../ports/tables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long minutes are kept. */
export const STATISTICS_DAYS = 8;

/** The minutes of one worker on one day, `2026-01-31`. */
export const statisticsPartition = (worker: string, day: string): string => `stats#${worker}#${day}`;

/** A minute's place within its day, `HH:MM`. */
export const minuteOfDay = (at: number): string => iso(at).slice(11, 16);

/** The day of an instant, `2026-01-31`. */
export const dayOf = (at: number): string => iso(at).slice(0, 10);

/** Key of the minute that contains an instant. */
export const minuteKey = (worker: string, at: number): RowKey => ({ pk: statisticsPartition(worker, dayOf(at)), sk: minuteOfDay(at) });

/**
 * Adds a sandbox's counts to a minute: one write. A type or tenant that the row does not hold yet gets the first free place, on condition that it is
 * still free; otherwise another write follows. Those beyond the last place are added up without a name. Repeated after a lost
 * reply it may count twice; statistics are no ledger.
 */
export async function addToMinute(tables: Tables, worker: string, at: number, sums: Sums): Promise<void> {
  const expiresAt = Math.ceil((at + STATISTICS_DAYS * DAY_MS) / 1000);
  let met: WriteOutcome | undefined;
  do {
    const [set, add]: [Record<string, Scalar>, Sums] = [{ expiresAt }, {}];
    for (const [key, count] of Object.entries(sums)) {
      const name = key.slice(0, key.lastIndexOf('#') + 1);
      bump(add, (name && placeOf(name, set, met?.row)) + key.slice(name.length), count);
    }
    const [, ...taken] = Object.keys(set);
    const of = taken.map((attribute) => ({ test: 'absent', attribute }) as const);
    const condition = of.length > 0 && ({ condition: { test: 'all', of } } as const);
    met = await tables.write({ op: 'update', table: 'control', key: minuteKey(worker, at), set, add, ...condition });
  } while (!met.applied);
}

/** What the attributes of a name begin with: `type0`, which is set where it takes a free place, or `type` if there is none. */
function placeOf(name: string, set: Record<string, Scalar>, row: Row = {}): string {
  const [kind = ''] = name.split('#');
  for (let index = 0; index < MAX_NAMES; index++) {
    const place = kind + index;
    if ((row[place] ?? (set[place] ??= name)) === name) return place;
  }
  return kind;
}

/** The sums of one type or tenant in a minute; without a name those of all that had no place in it. */
export interface NamedMinute {
  readonly name: string | undefined;
  readonly counts: Readonly<Record<NamedCount, number>>;
  readonly runMs: number;
  readonly runs: number;
}

/** The sums that a row has by type or by tenant. */
export function decodeNamed(row: Row, kind: StatisticsKind): readonly NamedMinute[] {
  const places = Array.from({ length: MAX_NAMES }, (_, index) => `${kind}${index}`).filter((place) => typeof row[place] === 'string');
  return [...places, kind].map((place) => {
    const count = (name: string): number => (Number.isFinite(row[place + name]) ? Number(row[place + name]) : 0);
    return {
      // The row has it between its kind and a `#`.
      name: place === kind ? undefined : String(row[place]).slice(kind.length + 1, -1),
      counts: Object.fromEntries(NAMED_COUNTS.map((name) => [name, count(name)])) as Record<NamedCount, number>,
      runMs: count('runMs'),
      runs: count('runs'),
    };
  });
}

/** A minute as it was read, with its beginning; undefined for a row that is no minute. */
export function decodeMinute(row: Row): { readonly at: number; readonly sums: MinuteSums } | undefined {
  const day = String(row['pk']).slice(-'2026-01-31'.length);
  const at = storedInstant(`${day}T${String(row['sk'])}:00.000Z`);
  if (at === undefined || at % MINUTE_MS !== 0) return undefined;
  const count = (name: string): number => (Number.isFinite(row[name]) ? Number(row[name]) : 0);
  const delays = Object.keys(row).flatMap((name): [number, number][] => {
    const bucket = /^d(\d{1,2})$/.exec(name)?.[1];
    return bucket === undefined ? [] : [[Number(bucket), count(name)]];
  });
  const counts = Object.fromEntries(COUNTS.map((name): [Counted, number] => [name, count(name)]));
  return { at, sums: { counts, delays: new Map(delays), runMs: count('runMs'), runs: count('runs') } };
}
