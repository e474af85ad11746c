import type { Bench } from '../frame/bench.ts';
import { type Measurement, measured, type Target } from '../frame/measurement.ts';
import { quantile, spreadOf } from '../frame/spread.ts';
import { runTimers, type TimerRun } from './run-timers.ts';
import { errorsBySlice } from './timer-plan.ts';

/**
 * A twelfth of a deployment's tick; the horizon covers two ticks, as there, and timers that are due soon never become rows. Forty due a second
 * are few enough not to queue for a small machine, and enough for 999 of 1,000 not to be the latest one.
 */
const FULL: TimerRun = { fromMs: 17_000, spanMs: 55_000, delayHorizonMs: 15_000, horizonMs: 12_000, tickMs: 5_000, count: 2_200 };
const SHORT: TimerRun = { fromMs: 1_500, spanMs: 1_000, delayHorizonMs: 1_000, horizonMs: 1_000, tickMs: 300, count: 30 };

/** How far from its due time a timer's handler starts, by one clock: over acquirer, delayed hints and event source, slice by slice of one run. */
export const benchTimers: Bench = {
  name: 'timers',
  what: 'how early and how late timers fire, through acquirer, delayed hints and executor',
  figures: ['early', 'lateMedian', 'lateP95', 'lateP999', 'lateMost'].map((figure) => `timers.${figure}`),
  async run({ rounds, short, progress }) {
    const run = short ? SHORT : FULL;
    const { from, started, fired } = await runTimers(run, progress);
    const slices = errorsBySlice(started, { from, spanMs: run.spanMs }, rounds);
    const all = slices.flat();
    const ofKind = (row: boolean): number[] => started.filter((one) => one.row === row).map(({ dueAt, startedAt }) => startedAt - dueAt);
    const measurements = [
      measured({ id: 'timers.early', what: 'started before they were due', unit: 'timers', target: { at: 'most', value: 0 } }, [
        all.filter((error) => error < 0).length,
      ]),
      late({ id: 'timers.lateMedian', what: 'late, median' }, 0.5, slices),
      late({ id: 'timers.lateP95', what: 'late, p95', target: { at: 'most', value: 1_000 } }, 0.95, slices),
      late({ id: 'timers.lateP999', what: 'late, p99.9' }, 0.999, slices),
      late({ id: 'timers.lateMost', what: 'late, max' }, 1, slices),
    ];
    return {
      measurements,
      details: { errorsMs: { fired: quantiles(ofKind(true)), dueSoon: quantiles(ofKind(false)) } },
      notes: [
        `${started.length.toLocaleString('en-US')} timers over ${run.spanMs / 1_000} s, ${fired} of them rows that the acquirer fired (a tick every ${run.tickMs / 1_000} s), the others due within the delay horizon of ${run.delayHorizonMs / 1_000} s.`,
        `The middle figure is the lateness of all timers together, and the target applies to it. Minimum and maximum are those of ${slices.length} slices of the span, by due time.`,
        'A message is delayed by whole seconds, rounded up. So a timer is late by up to a second (half a second on average), plus the hop.',
      ],
    };
  },
};

/**
 * A quantile of the lateness over all timers, which is between those of its slices: the slices give the spread, and are never compared with the target.
 */
function late(
  named: { readonly id: string; readonly what: string; readonly target?: Target },
  share: number,
  slices: readonly (readonly number[])[],
): Measurement {
  const all = quantile(slices.flat(), share);
  const { min, max } = spreadOf(slices.map((errors) => quantile(errors, share)));
  return { ...measured({ ...named, unit: 'ms' }, [all]), ours: { min, median: all, max }, rounds: slices.length };
}

const quantiles = (errors: readonly number[]): Readonly<Record<string, number>> => ({
  count: errors.length,
  least: quantile(errors, 0),
  median: quantile(errors, 0.5),
  p95: quantile(errors, 0.95),
  p999: quantile(errors, 0.999),
  most: quantile(errors, 1),
});
