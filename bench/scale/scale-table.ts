import type { RunFigures } from './figures.ts';
import type { ScaleFigures, ScenarioFigures } from './measure-scale.ts';
import { OWN_FIGURES } from './own-figures.ts';

/** The figures as a table: each scenario with the size that ran and the size that was requested. */
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
    both('requests failed after all tries', ({ throttles }) => throttles.givenUp),
    both('conflicts of transactions', ({ conflicts }) => conflicts),
    both('write units per job (all: growth)', ({ writeUnitsPerJob }) => writeUnitsPerJob, growth.writeUnits),
    both('dollars per million (all: growth)', ({ dollarsPerMillion }) => dollarsPerMillion, growth.dollars),
    both('most executors at a time', ({ mostExecutors }) => mostExecutors),
    ...Object.keys(large.own).map((key) => both(labelOf(key), ({ own }) => own[key] ?? '')),
    both('seconds on this machine', ({ tookSeconds }) => tookSeconds),
    `  hottest key: ${large.hottestWrite.key} (${keysBelowLimit ? 'below its limit' : 'AT ITS LIMIT'}); growth: ${linearOrBetter ? 'linear or better' : 'WORSE THAN LINEAR'}`,
  ];
}

function labelOf(key: string): string {
  const { what, unit } = OWN_FIGURES[key] ?? {};
  return what === undefined ? key : `${what}, ${unit}`;
}

const number = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 }) : value;
