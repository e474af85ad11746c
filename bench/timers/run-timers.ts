import { setTimeout as pause } from 'node:timers/promises';
import { anyPayload } from '../frame/any-payload.ts';
import { startBenchRegion } from '../emulators/bench-region.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { type PlannedTimer, planTimers, type StartedTimer, type TimerTimes } from './timer-plan.ts';

/** A run's times, its acquirer's included. */
export interface TimerRun extends TimerTimes {
  readonly tickMs: number;
  readonly horizonMs: number;
}

/** When the timers started, and the first instant of the span in which they were due, epoch milliseconds. */
export interface TimerStarts {
  readonly from: number;
  readonly started: readonly StartedTimer[];
  /** How many of them the acquirer fired; the others were in the queue from the start. */
  readonly fired: number;
}

const LATEST_MS = 60_000;

/** Runs timers through client, Timers table, acquirer, queue and executor. Throws when one has not started a minute after the last was due. */
export async function runTimers(run: TimerRun, progress: BenchPlan['progress']): Promise<TimerStarts> {
  const starts = new Map<number, number>();
  const timer = defineJob('bench.timer', { payload: anyPayload<{ n: number }>() });
  const handled = timer.handle(({ payload: { n } }) => {
    const now = Date.now();
    if (!starts.has(n)) starts.set(n, now);
  });
  let fired = 0;
  const journal: Journal = { ...silentJournal, record: ({ event }) => void (fired += event === 'timers-fired' ? 1 : 0) };
  const { delayHorizonMs, horizonMs, tickMs } = run;
  const { client, stop } = await startBenchRegion([handled], { tickMs, journal, settings: { delayHorizonMs, horizonMs } });
  try {
    // The first calls of a process are slow: theirs are made before any time counts.
    await client.enqueueMany(timer, [{ n: -1 }, { n: -2 }]);
    const t0 = Date.now();
    const plan = planTimers(run);
    const putting = putAll(plan, t0, (one, n) => client.enqueue(timer, { n }, { runAt: new Date(t0 + one.dueAtMs) }));
    const until = run.fromMs + run.spanMs;
    for (let now = 0; now < until; now = Date.now() - t0) {
      progress(now / until, `${starts.size} of ${plan.length} timers have started`);
      await Promise.race([pause(Math.min(1_000, until - now)), putting.then(() => pause(500))]);
    }
    await putting;
    const latest = t0 + until + LATEST_MS;
    for (let missing = plan.length; missing > 0; missing = plan.filter((_, n) => !starts.has(n)).length) {
      if (Date.now() > latest) throw new Error(`${missing} timers did not start.`);
      await pause(50);
    }
    const started = plan.map(({ dueAtMs, row }, n) => ({ dueAt: t0 + dueAtMs, startedAt: starts.get(n) ?? 0, row }));
    return { from: t0 + run.fromMs, started, fired };
  } finally {
    await stop();
  }
}

const PARALLEL = 8;

/** Puts each timer at its time, the first ones eight at a time. Rethrows errors of puts. */
async function putAll(plan: readonly PlannedTimer[], t0: number, put: (one: PlannedTimer, n: number) => Promise<unknown>): Promise<void> {
  const left = plan.entries();
  const lane = async (): Promise<void> => {
    for (const [n, one] of left) {
      const early = t0 + one.putAtMs - Date.now();
      if (early > 0) await pause(early);
      await put(one, n);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}
