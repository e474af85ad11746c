import { JOB_COUNTS, SANDBOX_MONTH, WRITE_UNITS } from '../../cli/cost/unit-counts.ts';
import type { Measurement } from '../frame/measurement.ts';
import { short } from '../frame/measurement-table.ts';
import type { BenchReport } from '../frame/report.ts';
import { cell, markdownTable } from './figure-table.ts';
import { measurementsOf } from './missed.ts';

/** A setting, what to do with it, and what that costs or risks. Its effect is measured, or counted. */
interface Advice {
  readonly setting: string;
  readonly turn: string;
  readonly effect: string | { readonly measured: string };
  readonly but: string;
}

const measured = (name: string): Advice['effect'] => ({ measured: `tuning.${name}` });
const { plain, plainWithHistory, plainWithDurableHistory } = JOB_COUNTS;
const GROUP_WRITES = WRITE_UNITS['exclusive group'] - plain;

const THROUGHPUT: readonly Advice[] = [
  {
    setting: '`enqueueMany`',
    turn: 'Enqueue what comes together by one call, not by one `enqueue` after the other',
    effect: measured('enqueueMany'),
    but: 'look at its report: single jobs may be refused',
  },
  {
    setting: '`batchSize`',
    turn: 'Leave it at 10 or above: jobs of a batch are claimed, run and completed side by side',
    effect: measured('batchSize'),
    but: 'above 10 it needs a `batchWindow` of a second; jobs of a batch share the memory of one sandbox',
  },
  {
    setting: '`maxConcurrency`',
    turn: 'Raise it when handlers wait for others; Lambda starts more sandboxes',
    effect: measured('maxConcurrency'),
    but: 'what your handlers call has to bear it; `limits` cap single types',
  },
  {
    setting: '`group`',
    turn: 'Group by the smallest thing that must not run twice at once: one group for all runs its jobs in turn',
    effect: measured('oneGroup'),
    but: `even in groups of one a job pays for its lock: ${GROUP_WRITES} writes more`,
  },
  {
    setting: '`acquirers`',
    turn: 'Raise it when thousands of timers fall due in the same minute',
    effect: measured('acquirers'),
    but: 'each is one invocation a minute more, whatever is due',
  },
];

const LATENCY: readonly Advice[] = [
  {
    setting: '`batchWindow`',
    turn: 'Leave it at 0: Lambda waits for the whole window even for a lone job',
    effect: measured('batchWindow'),
    but: 'a window fills batches, and so saves invocations where jobs come one by one',
  },
  {
    setting: '`provisionedConcurrency`',
    turn: 'Keep sandboxes warm where a cold start is too long; how long it is, is in [performance.md](../reference/performance.md#cold-start)',
    effect: 'takes the cold start away',
    but: 'is paid for all the time ([costs.md](costs.md))',
  },
  {
    setting: '`sweepReadUnits`',
    turn: 'Raise it when a lost hint must be found sooner in a large table: a pass needs fewer runs, one a minute',
    effect: measured('sweepReadUnits'),
    but: 'a pass reads the same units, in fewer runs: what it costs a minute grows with the setting',
  },
  {
    setting: "`history: 'durable'`",
    turn: 'Take it only where a lost row of history matters: each completion becomes a transaction',
    effect: measured('historyDurable'),
    but: `${plainWithDurableHistory} writes a job instead of ${plainWithHistory}`,
  },
];

const COST: readonly Advice[] = [
  {
    setting: "`history: 'off'`",
    turn: 'Switch history off where nobody looks at finished jobs',
    effect: measured('historyOff'),
    but: `saves a write of ${plainWithHistory}; finished jobs leave no trace but logs`,
  },
  {
    setting: '`enqueueMany`, `batchSize`',
    turn: 'Keep batches full: a send, a receive and a delete serve ten jobs',
    effect: `${JOB_COUNTS.sqsRequestsPerJob} SQS requests a job instead of 3`,
    but: 'see above',
  },
  {
    setting: 'size of a job',
    turn: 'Keep it below 1 KB and put large data into S3',
    effect: `${plain} writes a job for each KB of it`,
    but: 'a second place to clean up',
  },
  {
    setting: '`alarms`, `dashboard`, `tracing`',
    turn: 'Leave out what nobody looks at',
    effect: 'all of it is most of what an idle stack costs ([costs.md](costs.md#a-stack-that-waits))',
    but: 'whoever is not told, does not know',
  },
  {
    setting: 'statistics',
    turn: 'Nothing to turn: a busy sandbox writes its sums once in ten seconds',
    effect: `at most ${(SANDBOX_MONTH.statistics / 43_200).toFixed(0)} writes a minute and busy sandbox, however many jobs it runs`,
    but: '',
  },
];

/** The page about what to turn first, each with the effect that the report has for it. */
export function tuningPage(report: BenchReport): string {
  const effects = new Map(measurementsOf(report).map((one) => [one.id, one]));
  const section = (title: string, advice: readonly Advice[]): string => `## ${title}\n\n${adviceTable(advice, effects)}`;
  return `${[
    `# Tuning

Generated from \`bench/results/performance.json\`; do not edit. The advice is ours; its effect is what \`npm run bench -- tuning\` measured in the last full run, or what tests count. Each setting was changed by itself, with the production code running over requests that take as long as their medians in AWS; medians of ${report.rounds} rounds. [settings.md](../reference/settings.md) has every setting with its range.

Change the first setting, measure, then go on to the next. Before that, use \`nightcrew doctor\` and the dashboard to see what is slow: jobs that wait, or jobs that run.`,
    section('More throughput', THROUGHPUT),
    section('Lower latency', LATENCY),
    section('Less cost', COST),
  ].join('\n\n')}\n`;
}

/** Every measurement that the page names. */
export const TUNING_IDS: readonly string[] = [...THROUGHPUT, ...LATENCY, ...COST].flatMap(({ effect }) =>
  typeof effect === 'string' ? [] : [effect.measured],
);

function adviceTable(advice: readonly Advice[], effects: ReadonlyMap<string, Measurement>): string {
  return markdownTable(
    [{ text: 'setting' }, { text: 'what to do' }, { text: 'effect' }, { text: 'but' }],
    advice.map(({ setting, turn, effect, but }) => [
      setting,
      turn,
      typeof effect === 'string' ? effect : effectText(effects.get(effect.measured)),
      but,
    ]),
  );
}

function effectText(measurement: Measurement | undefined): string {
  if (measurement?.ratio === undefined || measurement.beside === undefined) return 'not part of the last full run';
  const { what, unit, ours, beside, ratio } = measurement;
  return `**${short(ratio.median)}x**: ${cell(what)}, ${short(ours.median)} ${cell(unit)}; ${cell(beside.name)}, ${short(beside.median)}`;
}
