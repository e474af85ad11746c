import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { instantMs } from '../../../job/instant.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import { checkOptions } from '../../../job/names.ts';
import { namesOf } from '../../../job/worker-names.ts';
import { addUpMinutes, COUNTS, delayEstimates, type MinuteSums, NAMED_COUNTS, NO_WORKER, STATISTICS_KINDS } from '../model/statistics.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import {
  dayOf,
  decodeMinute,
  decodeNamed,
  minuteOfDay,
  type NamedMinute,
  STATISTICS_DAYS,
  statisticsPartition,
} from '../store/statistics-rows.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import type { MinuteStatistics, NamedStatistics, StatisticsOptions, StatisticsVerbs } from './statistics.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PARALLEL = 8;

/** Creates the statistics verbs. */
export function statisticsVerbs(deps: OperatorDeps): StatisticsVerbs {
  return {
    statistics: async (options = {}) => byMinute(await readRows(deps, options)),
    statisticsBy: async (kind, options = {}) => {
      if (!STATISTICS_KINDS.includes(kind)) throw new InvalidInputError('kind', kind, `Use one of ${STATISTICS_KINDS.join(', ')}.`);
      return { sums: byName((await readRows(deps, options)).flatMap((row) => decodeNamed(row, kind))) };
    },
  };
}

/** The rows of the minutes that are asked for, of all workers or of one, also under their former names. */
async function readRows({ tables, clock, deployment }: OperatorDeps, options: StatisticsOptions): Promise<readonly Row[]> {
  checkOptions(options, ['from', 'to', 'worker'], 'options');
  const now = clock.now();
  const to = options.to === undefined ? now : instantMs(options.to, 'to');
  const from = Math.max(options.from === undefined ? to - HOUR_MS : instantMs(options.from, 'from'), now - STATISTICS_DAYS * DAY_MS);
  const { worker } = options;
  if (worker !== undefined && (typeof worker !== 'string' || worker === ''))
    throw new InvalidInputError('worker', worker, 'Name a worker.');
  if (from > to) return [];
  const names = (worker === undefined ? [...deployment.workers.keys()] : [worker]).flatMap((one) => namesOf(deployment.workers, one));
  const workers = worker === undefined ? [...names, NO_WORKER] : names;
  const wanted = daysOf(from, to).flatMap((day) => workers.map((name) => ({ day, partition: statisticsPartition(name, day) })));
  const found = await mapLimited(wanted, PARALLEL, async ({ day, partition }) => {
    const range = { from: day === dayOf(from) ? minuteOfDay(from) : '00:00', through: day === dayOf(to) ? minuteOfDay(to) : '23:59' };
    return readMinutes(tables, partition, range);
  });
  return found.flat();
}

async function readMinutes(
  tables: Tables,
  partition: string,
  range: { readonly from: string; readonly through: string },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'control', partition, ...range, limit: 1_440, ...defined({ after }) });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}

function byMinute(rows: readonly Row[]): readonly MinuteStatistics[] {
  const found = Map.groupBy(
    rows.flatMap((row) => decodeMinute(row) ?? []),
    ({ at }) => at,
  );
  return [...found].toSorted(([a], [b]) => a - b).map(([at, minutes]) => shown(at, addUpMinutes(minutes.map(({ sums }) => sums))));
}

function byName(minutes: readonly NamedMinute[]): readonly NamedStatistics[] {
  return [...Map.groupBy(minutes, ({ name }) => name)]
    .map(([name, all]): NamedStatistics => {
      const sum = (of: (one: NamedMinute) => number): number => all.reduce((total, one) => total + of(one), 0);
      const counts = Object.fromEntries(NAMED_COUNTS.map((count) => [count, sum(({ counts: of }) => of[count])])) as NamedMinute['counts'];
      const runs = sum((one) => one.runs);
      return { ...defined({ name }), ...counts, ...(runs > 0 ? { runMs: Math.round(sum(({ runMs }) => runMs) / runs) } : {}) };
    })
    .filter((one) => NAMED_COUNTS.some((count) => one[count] > 0))
    .toSorted(compare);
}

/** Most started first, and what has no name last. */
function compare(a: NamedStatistics, b: NamedStatistics): number {
  if (a.name === undefined || b.name === undefined) return a.name === undefined ? 1 : -1;
  return b.started - a.started || (a.name < b.name ? -1 : 1);
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
