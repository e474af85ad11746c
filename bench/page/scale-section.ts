import { short } from '../frame/measurement-table.ts';
import type { ScaleFigures, ScenarioFigures } from '../scale/measure-scale.ts';
import { barChart } from './bar-chart.ts';
import { cell, markdownTable } from './figure-table.ts';

/** The scenarios, each with the size that ran and the size that was requested. */
export function scaleTable({ scenarios }: ScaleFigures): string {
  const right = (text: string) => ({ text, right: true });
  return markdownTable(
    [
      { text: 'scenario' },
      right('ran'),
      right('asked for'),
      right('drained in, s'),
      right('hottest key, WCU/s'),
      right('throttled by a key'),
      right('by a table'),
      right('$ per million'),
      { text: 'ten times the work: time, writes, dollars' },
      { text: '' },
    ],
    scenarios.map(row),
  );
}

function row({ name, what, unit, full, large, growth, linearOrBetter, keysBelowLimit }: ScenarioFigures): readonly string[] {
  return [
    `**${cell(name)}**: ${cell(what)}`,
    `${number(large.size)} ${cell(unit)}`,
    number(full),
    short(large.drainSeconds),
    short(large.hottestWrite.unitsPerSecond),
    number(large.throttles.key),
    number(large.throttles.table),
    large.dollarsPerMillion.toFixed(2),
    `${short(growth.drain)}x, ${short(growth.writeUnits)}x, ${short(growth.dollars)}x`,
    [linearOrBetter ? 'linear or better' : '**worse than linear**', ...(keysBelowLimit ? [] : ['**a key at its limit**'])].join(', '),
  ];
}

/** Figures of single scenarios, such as lateness and fairness, a line each. */
export function scaleOwnFigures({ scenarios }: ScaleFigures): string {
  return scenarios
    .filter(({ large }) => Object.keys(large.own).length > 0)
    .map(({ name, large }) => {
      const told = Object.entries(large.own).map(([figure, value]) => `${cell(figure)} ${short(value)}`);
      return `- **${cell(name)}**: ${told.join(', ')}`;
    })
    .join('\n');
}

/** How often time, write units and dollars grew when the work grew tenfold. */
export function growthChart({ scenarios }: ScaleFigures): string {
  return barChart({
    title: 'Scale: what ten times the work takes',
    unit: 'times as much; a bar that ends at the line is linear, a shorter one is better',
    groups: scenarios.map(({ name, growth }) => ({
      label: name,
      bars: [
        { label: 'time to drain', value: growth.drain, style: 'ours' },
        { label: 'write units', value: growth.writeUnits, style: 'baseline' },
        { label: 'dollars', value: growth.dollars, style: 'third' },
      ],
    })),
    aim: { value: 10, label: 'linear' },
  });
}

const number = (value: number): string => value.toLocaleString('en-US');
