import { JOB_COUNTS, SANDBOX_MONTH, WRITE_UNITS } from '../../cli/cost/unit-counts.ts';
import type { Measurement } from '../frame/measurement.ts';
import { short } from '../frame/measurement-table.ts';
import type { BenchReport } from '../frame/report.ts';
import { cell, markdownTable } from './figure-table.ts';
import { measurementsOf } from './missed.ts';

/** A setting, the change to make, and its cost or risk. Its effect is measured or counted. */
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
    turn: 'Enqueue jobs that arrive together in one call, not in one `enqueue` each',
    effect: measured('enqueueMany'),
    but: 'check its report: single jobs may be refused',
  },
  {
    setting: '`batchSize`',
    turn: 'Leave it at 10 or above: jobs of a delivery batch run in parallel, unless they share a group or may have killed a process',
    effect: measured('batchSize'),
    but: 'above 10 it needs a `batchWindow` of at least a second; jobs of a delivery batch share the memory of one sandbox',
  },
  {
    setting: '`maxConcurrency`',
    turn: 'Raise it if handlers spend their time waiting for other services; Lambda starts more sandboxes',
    effect: measured('maxConcurrency'),
    but: 'the services that your handlers call must bear the load; `limits` cap single types',
  },
  {
    setting: '`group`',
    turn: 'Group by the smallest thing that must not run twice at once: jobs of an exclusive group run one after another',
    effect: measured('oneGroup'),
    but: `a job that is alone in its group pays for the lock too: ${GROUP_WRITES} more write units`,
  },
  {
    setting: '`acquirers`',
    turn: 'Raise it if thousands of timers fall due in the same minute',
    effect: measured('acquirers'),
    but: 'each adds one invocation per `acquirerInterval`, even if nothing is due',
  },
];

const LATENCY: readonly Advice[] = [
  {
    setting: '`batchWindow`',
    turn: 'Leave it at 0: Lambda waits for the whole window even for a single job',
    effect: measured('batchWindow'),
    but: 'a window fills delivery batches, and so saves invocations if jobs arrive one by one',
  },
  {
    setting: '`provisionedConcurrency`',
    turn: 'Keep sandboxes warm if a cold start takes too long ([how long](../reference/performance.md#cold-start))',
    effect: 'no cold start while one of them is free',
    but: 'costs money all the time',
  },
  {
    setting: '`sweepReadUnits`',
    turn: 'Raise it if lost hints must be found sooner in a large table: a pass then needs fewer runs',
    effect: measured('sweepReadUnits'),
    but: 'as long as a pass needs several runs, the cost per minute grows with the setting',
  },
  {
    setting: "`history: 'durable'`",
    turn: 'Use it only if a lost History row matters: each completion becomes a transaction',
    effect: measured('historyDurable'),
    but: `${plainWithDurableHistory} write units per plain job instead of ${plainWithHistory}`,
  },
];

const COST: readonly Advice[] = [
  {
    setting: "`history: 'off'`",
    turn: 'Switch history off if nobody looks at finished jobs',
    effect: measured('historyOff'),
    but: `saves one of the ${plainWithHistory} write units of a plain job; a finished job cannot be looked up`,
  },
  {
    setting: '`enqueueMany`, `batchSize`',
    turn: 'Keep delivery batches full: one send, one receive and one delete serve ten jobs',
    effect: `${JOB_COUNTS.sqsRequestsPerJob} SQS requests per job instead of 3, if all are full`,
    but: 'see above',
  },
  {
    setting: 'size of a job',
    turn: 'Keep it below 1 KB and put large data into S3',
    effect: `${plain} write units per plain job for each KB of it`,
    but: 'each costs a PUT and a GET ([large payloads](../guides/large-payloads.md))',
  },
  {
    setting: '`alarms`, `dashboard`',
    turn: 'Leave out unused features',
    effect: 'with one worker they are most of the cost of an idle stack ([costs.md](costs.md#what-a-month-costs))',
    but: 'without alarms, problems may go unnoticed',
  },
  {
    setting: 'statistics',
    turn: 'Nothing to change: a busy sandbox writes its sums once in ten seconds',
    effect: `by default up to about ${(SANDBOX_MONTH.statistics / 43_200).toFixed(0)} writes a minute per busy sandbox`,
    but: '`statistics: 2` and `3` write larger rows, some of them more than once',
  },
];

/** The tuning page: settings in the order to change them, each with its effect in the report. */
export function tuningPage(report: BenchReport): string {
  const effects = new Map(measurementsOf(report).map((one) => [one.id, one]));
  const section = (title: string, advice: readonly Advice[]): string => `## ${title}\n\n${adviceTable(advice, effects)}`;
  return `${[
    `# Tuning

Generated from \`bench/results/performance.json\`; do not edit. Figures in bold were measured by \`npm run bench -- tuning\` in the last full run: the ratio, then both sides, as medians of ${report.rounds} rounds. Each setting was changed alone, with the production code over stores in memory whose requests take median times that others measured in AWS, or assumed ones; \`batchWindow\` ran on emulators. [settings.md](../reference/settings.md) has every setting with its range.

First use \`nightcrew doctor\` and the dashboard to see what is slow: waiting or running. Then change one setting at a time, from the top, and measure after each change.`,
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
  if (measurement?.ratio === undefined || measurement.baseline === undefined) return 'not part of the last full run';
  const { what, unit, ours, baseline, ratio } = measurement;
  return `**${short(ratio.median)}x**: ${cell(what)}, ${short(ours.median)} ${cell(unit)}; ${cell(baseline.name)}, ${short(baseline.median)}`;
}
