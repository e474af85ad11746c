import type { RunFigures } from './figures.ts';
import type { ScaleFigures, ScenarioFigures } from './measure-scale.ts';

const WORDS: Readonly<Record<string, string>> = {
  boundSeconds: 'the least that the table allows, s',
  enqueueSeconds: 'until all were enqueued, s',
  refusedAtFirst: 'refused at first, and offered again',
  waitP50Ms: 'wait from due to start, median, ms',
  waitP99Ms: 'wait from due to start, p99, ms',
  historyLost: 'history rows lost',
  early: 'started early',
  lateP50Ms: 'late, median, ms',
  lateP95Ms: 'late, p95, ms',
  lateP99Ms: 'late, p99, ms',
  lateMostMs: 'late, most, ms',
  smallP50AloneMs: 'small tenants alone, median, ms',
  smallP50Ms: 'small tenants beside the large one, median, ms',
  smallP99AloneMs: 'small tenants alone, p99, ms',
  smallP99Ms: 'small tenants beside the large one, p99, ms',
  smallP99Ratio: 'p99 beside : alone',
  largeP99Ms: 'the large tenant, p99, ms',
  readUnitsARun: 'read units a run may spend',
  runs: 'runs of the sweeper, one a minute, for a whole pass',
  readUnits: 'read units of a pass',
  explained: 'left, because messages explain the wait',
  lostHints: 'hints lost',
  sentAgain: 'jobs whose hint was sent again in this pass',
  resetsWithoutNeed: 'sent again without need',
  writeUnits: 'write units of a pass',
  rowsASecond: 'rows a second',
  expected: 'occurrences in the year',
  missed: 'missed',
  startedTwice: 'started twice',
  idleTicks: 'ticks that could find nothing, counted, not driven',
  idleReadUnits: 'read units of those',
  idleWriteUnits: 'write units of those',
};

/** The figures for people: each scenario with the size that ran beside the one that was asked for. */
export function scaleTable({ scenarios }: ScaleFigures): string {
  return [
    'Scale, by simulation: the production code over models of DynamoDB, SQS and Lambda, in virtual time.',
    ...scenarios.flatMap((scenario) => ['', ...section(scenario)]),
  ].join('\n');
}

function section(scenario: ScenarioFigures): readonly string[] {
  const { name, what, unit, full, share, small, large, growth, linearOrBetter, keysBelowLimit } = scenario;
  const asked = share === 'full' ? 'the full size' : `a ${share} of the ${number(full)} that are asked for`;
  const both = (label: string, of: (run: RunFigures) => number | string, grew?: number): string =>
    `  ${label.padEnd(56)}${number(of(small)).padStart(14)}${number(of(large)).padStart(14)}${grew === undefined ? '' : `   x ${number(grew)}`}`;
  return [
    `${name}: ${what}`,
    `  ran at ${number(small.size)} and ${number(large.size)} ${unit}: the larger is ${asked}`,
    both(unit, ({ size }) => size, growth.work),
    both('time to drain, s', ({ drainSeconds }) => drainSeconds, growth.drain),
    both('hottest key, write units/s', ({ hottestWrite }) => hottestWrite.unitsPerSecond),
    both('hottest key, read units/s', ({ hottestRead }) => hottestRead.unitsPerSecond),
    both('requests throttled by a key', ({ throttles }) => throttles.key),
    both('requests throttled by a table', ({ throttles }) => throttles.table),
    both('requests given up after every try', ({ throttles }) => throttles.givenUp),
    both('write units per job (all: growth)', ({ writeUnitsPerJob }) => writeUnitsPerJob, growth.writeUnits),
    both('dollars per million (all: growth)', ({ dollarsPerMillion }) => dollarsPerMillion, growth.dollars),
    both('most executors at a time', ({ mostExecutors }) => mostExecutors),
    ...Object.keys(large.own).map((key) => both(WORDS[key] ?? key, ({ own }) => own[key] ?? '')),
    both('seconds on this machine', ({ tookSeconds }) => tookSeconds),
    `  hottest key: ${large.hottestWrite.key} (${keysBelowLimit ? 'below its limit' : 'AT ITS LIMIT'}); growth: ${linearOrBetter ? 'linear or better' : 'WORSE THAN LINEAR'}`,
  ];
}

const number = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 }) : value;
