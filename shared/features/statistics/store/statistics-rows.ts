import { iso, storedInstant } from '../../../core/instant.ts';
import { COUNTS, type Counted, type MinuteSums } from '../model/statistics.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long minutes are kept. */
export const STATISTICS_DAYS = 8;
const DELAY = 'd';

/** The minutes of one worker on one day, `2026-01-31`. */
export const statisticsPartition = (worker: string, day: string): string => `stats#${worker}#${day}`;

/** A minute's place within its day, `HH:MM`. */
export const minuteOfDay = (at: number): string => iso(at).slice(11, 16);

/** The day of an instant, `2026-01-31`. */
export const dayOf = (at: number): string => iso(at).slice(0, 10);

/** Key of the minute in which an instant lies. */
export const minuteKey = (worker: string, at: number): RowKey => ({ pk: statisticsPartition(worker, dayOf(at)), sk: minuteOfDay(at) });

/**
 * Adds what a sandbox summed up to a minute: one write. It has no condition, so a write whose reply was lost and that is repeated may
 * count twice; statistics are no ledger.
 */
export async function addToMinute(tables: Tables, worker: string, at: number, sums: MinuteSums): Promise<void> {
  const add: Record<string, number> = { ...sums.counts };
  for (const [bucket, count] of sums.delays) add[`${DELAY}${bucket}`] = count;
  if (sums.runs > 0) Object.assign(add, { runs: sums.runs, runMs: Math.round(sums.runMs) });
  const expiresAt = Math.ceil((at + STATISTICS_DAYS * DAY_MS) / 1000);
  await tables.write({ op: 'update', table: 'control', key: minuteKey(worker, at), set: { expiresAt }, add });
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
