import { short } from '../frame/measurement-table.ts';
import type { Measurement } from '../frame/measurement.ts';
import type { BenchOutcome, BenchReport } from '../frame/report.ts';
import { chartsOf } from './charts.ts';
import { detailsOf } from './details.ts';
import { cell, figureTable, targetText } from './figure-table.ts';
import { missedOf } from './missed.ts';

/** Where the pictures lie, from the page. */
const PICTURES = '../images/performance';

/** The page about speed, with the reason of each missed target. */
export function performancePage(report: BenchReport, reasons: Readonly<Record<string, string>>): string {
  return `${[
    head(report),
    missedSection(report, reasons),
    ...pictures(report, ''),
    ...Object.entries(report.benches).flatMap(([name, outcome]) => benchSection(report, name, outcome)),
  ].join('\n\n')}\n`;
}

function head({ date, rounds, machine, tookSeconds }: BenchReport): string {
  const versions = Object.entries(machine.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
  return `# Performance

Generated from \`bench/results/performance.json\`, the last full run of \`npm run bench\`; do not edit.

That run began on ${date.slice(0, 16).replace('T', ' ')} UTC and took ${duration(tookSeconds)} on ${machine.cores} cores of ${cell(machine.cpu)} with ${machine.memoryGb} GB, ${cell(machine.os)}; ${cell(versions)}.

Where two sides are timed, they run in turns in each of ${rounds} rounds, after one that is thrown away, and a ratio is taken round by round. What is counted, modelled or measured without another side has no such round, and may be one value alone. A figure is the minimum, the **median** and the maximum of what was measured. Targets are held against the median of the ratio where there are two sides. Absolute figures are this machine's, with emulators beside the code on the same cores; ratios are what carries over.

\`npm run bench\` measures all of it anew, \`npm run bench -- overhead\` one bench, \`--json\` gives one line for scripts. What a month costs is in [costs.md](../operate/costs.md), what to turn first in [tuning.md](../operate/tuning.md).`;
}

function missedSection(report: BenchReport, reasons: Readonly<Record<string, string>>): string {
  const missed = missedOf(report);
  const aimed = Object.values(report.benches).flatMap(({ measurements }) => measurements.filter(({ met }) => met !== undefined)).length;
  const title = `## Missed targets\n\n`;
  if (missed.length === 0) return `${title}None of ${aimed}.`;
  const groups = Map.groupBy(missed, ({ id }) => reasons[id] ?? '');
  const paragraphs = [...groups].map(([reason, those]) => `${those.map(missedLine).join('\n')}\n\n${reason}`.trimEnd());
  return `${title}${missed.length} of ${aimed}.\n\n${paragraphs.join('\n\n')}`;
}

function missedLine({ id, what, ratio, ours, target }: Measurement): string {
  const value = ratio === undefined ? short(ours.median) : `${short(ratio.median)}x`;
  return `- **${cell(what)}** (\`${id}\`): ${value}, ${targetText(target)}`;
}

function benchSection(report: BenchReport, name: string, outcome: BenchOutcome): readonly string[] {
  const { what, measurements, notes = [], tookSeconds } = outcome;
  return [
    `## ${title(name)}\n\n${cell(sentence(what))} Took ${duration(tookSeconds)}.`,
    ...(measurements.length === 0 ? [] : [figureTable(measurements)]),
    ...pictures(report, name),
    ...detailsOf(name, outcome.details),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${cell(note)}`).join('\n')]),
  ];
}

function pictures(report: BenchReport, bench: string): readonly string[] {
  return chartsOf(report)
    .filter((chart) => chart.bench === bench)
    .map(({ file, alt }) => `![${alt}](${PICTURES}/${file})`);
}

const title = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function duration(seconds: number): string {
  if (seconds < 90) return `${short(seconds)} s`;
  return `${short(seconds / 60)} minutes`;
}
