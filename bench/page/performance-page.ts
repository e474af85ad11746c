import { short } from '../frame/measurement-table.ts';
import type { Measurement, Named } from '../frame/measurement.ts';
import type { BenchOutcome, BenchReport } from '../frame/report.ts';
import { chartsOf } from './charts.ts';
import { detailsOf } from './details.ts';
import { cell, figureTable, targetText } from './figure-table.ts';
import { missedOf } from './missed.ts';

/** The folder of the pictures, relative to the page. */
const PICTURES = '../images/performance';

/** The performance page, with a reason for each missed target; `awaited` has the new figures of each bench, without a value where the report has none. */
export function performancePage(
  report: BenchReport,
  reasons: Readonly<Record<string, string>>,
  awaited: Readonly<Record<string, readonly Named[]>> = {},
): string {
  return `${[
    head(report),
    missedSection(report, reasons),
    ...pictures(report, ''),
    ...Object.entries(report.benches).flatMap(([name, outcome]) =>
      benchSection(report, name, { ...outcome, awaited: awaited[name] ?? [] }),
    ),
  ].join('\n\n')}\n`;
}

function head({ date, rounds, machine, tookSeconds }: BenchReport): string {
  const versions = Object.entries(machine.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
  return `# Performance

Generated from \`bench/results/performance.json\`, the last full run of \`npm run bench\`; do not edit.

That run began on ${date.slice(0, 16).replace('T', ' ')} UTC and took ${duration(tookSeconds)} on ${machine.cores} cores of ${cell(machine.cpu)} with ${machine.memoryGb} GB, ${cell(machine.os)}; ${cell(versions)}.

Unless the notes of a bench say otherwise, both sides of a comparison run in turns in each of ${rounds} rounds, after a warm-up round, and each round gives a ratio; the table shows minimum, **median** and maximum, or the single value of what is counted or modelled. A target applies to the median ratio, or to the median figure if there is no baseline. Figures depend on this machine, where emulators and code share the same cores.

\`npm run bench\` measures everything again, \`npm run bench -- overhead\` one bench; \`--json\` prints one line for scripts. [costs.md](../operate/costs.md) has the cost of a month, [tuning.md](../operate/tuning.md) the settings to change first.`;
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

function benchSection(
  report: BenchReport,
  name: string,
  outcome: BenchOutcome & { readonly awaited: readonly Named[] },
): readonly string[] {
  const { what, measurements, notes = [], tookSeconds } = outcome;
  const awaited = outcome.awaited.filter(({ id }) => !measurements.some((one) => one.id === id));
  return [
    `## ${title(name)}\n\n${cell(sentence(what))} Took ${duration(tookSeconds)}.`,
    ...(measurements.length === 0 ? [] : [figureTable(measurements, awaited)]),
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
