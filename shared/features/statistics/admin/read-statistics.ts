import { defined } from '../../../core/defined.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { instantMs } from '../../../core/instant.ts';
import { mapLimited } from '../../../core/map-limited.ts';
import { checkOptions } from '../../../core/names.ts';
import { addUpMinutes, COUNTS, delayEstimates, type MinuteSums } from '../model/statistics.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { dayOf, decodeMinute, minuteOfDay, STATISTICS_DAYS, statisticsPartition } from '../store/statistics-rows.ts';
import type { AdminDeps } from '../../../admin/admin-deps.ts';
import { readHeartbeats } from './heartbeats.ts';
import { readLimits } from './limit-use.ts';
import type { MinuteStatistics, StatisticsVerbs } from './statistics.ts';

type Options = NonNullable<Parameters<StatisticsVerbs['statistics']>[0]>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PARALLEL = 8;
/** Counts of entries that name no worker lie under this name. */
const ALL = 'all';

/** Creates the statistics verbs. */
export function statisticsVerbs(deps: AdminDeps): StatisticsVerbs {
  return {
    statistics: async (options = {}) => readStatistics(deps, options),
    heartbeats: async () => readHeartbeats(deps),
    limits: async (options = {}) => readLimits(deps, options),
  };
}

async function readStatistics({ tables, clock, deployment }: AdminDeps, options: Options): Promise<readonly MinuteStatistics[]> {
  checkOptions(options, ['from', 'to', 'worker'], 'options');
  const now = clock.now();
  const to = options.to === undefined ? now : instantMs(options.to, 'to');
  const from = Math.max(options.from === undefined ? to - HOUR_MS : instantMs(options.from, 'from'), now - STATISTICS_DAYS * DAY_MS);
  const { worker } = options;
  if (worker !== undefined && (typeof worker !== 'string' || worker === ''))
    throw new InvalidInputError('worker', worker, 'Name a worker.');
  if (from > to) return [];
  const workers = worker === undefined ? [...deployment.workers.keys(), ALL] : [worker];
  const wanted = daysOf(from, to).flatMap((day) => workers.map((name) => ({ day, partition: statisticsPartition(name, day) })));
  const found = new Map<number, MinuteSums[]>();
  await mapLimited(wanted, PARALLEL, async ({ day, partition }) => {
    const range = { from: day === dayOf(from) ? minuteOfDay(from) : '00:00', through: day === dayOf(to) ? minuteOfDay(to) : '23:59' };
    for (const { at, sums } of await readMinutes(tables, partition, range)) {
      const others = found.get(at);
      if (others === undefined) found.set(at, [sums]);
      else others.push(sums);
    }
  });
  return [...found].toSorted(([a], [b]) => a - b).map(([at, sums]) => shown(at, addUpMinutes(sums)));
}

async function readMinutes(tables: Tables, partition: string, range: { readonly from: string; readonly through: string }) {
  const minutes: { readonly at: number; readonly sums: MinuteSums }[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'control', partition, ...range, limit: 1_440, ...defined({ after }) });
    minutes.push(...page.rows.flatMap((row) => decodeMinute(row) ?? []));
    after = page.cursor;
  } while (after !== undefined);
  return minutes;
}

function daysOf(from: number, to: number): readonly string[] {
  const days: string[] = [];
  for (let at = Math.floor(from / DAY_MS) * DAY_MS; at <= to; at += DAY_MS) days.push(dayOf(at));
  return days;
}

function shown(at: number, sums: MinuteSums): MinuteStatistics {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sums.counts[name] ?? 0])) as Record<(typeof COUNTS)[number], number>;
  const delayMs = delayEstimates(sums.delays);
  return {
    at: new Date(at),
    ...counts,
    ...defined({ delayMs }),
    ...(sums.runs > 0 ? { runMs: Math.round(sums.runMs / sums.runs) } : {}),
  };
}
