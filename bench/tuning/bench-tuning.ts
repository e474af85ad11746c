import type { Bench, BenchPlan } from '../frame/bench.ts';
import { interleave } from '../frame/interleave.ts';
import { compared, type Measurement } from '../frame/measurement.ts';
import { type Lever, levers } from './levers.ts';
import { startLoneJobs } from './window-wait.ts';

const FULL_JOBS = 100;
const SHORT_JOBS = 20;
const WINDOW_MS = 1_000;
/** Of the bench's time; the rest waits for the batching window. */
const LEVERS_SHARE = 0.7;

/** The effect of changing one setting at a time. */
export const benchTuning: Bench = {
  name: 'tuning',
  what: 'the effect of changing one setting: the production code with requests that take as long as their medians in AWS',
  figures: [...levers(SHORT_JOBS).map(({ id }) => id), 'batchWindow'].map((id) => `tuning.${id}`),
  async run(plan) {
    const all = levers(plan.short ? SHORT_JOBS : FULL_JOBS);
    const measurements: Measurement[] = [];
    for (const [index, lever] of all.entries()) measurements.push(await turned(plan, lever, [index, all.length]));
    measurements.push(await windowed(plan));
    return {
      measurements,
      notes: [
        'Writes, transactions and the delivery of messages take the median times that others measured in AWS, without a tail; those of reads and sends are assumed. The batching window runs on emulators.',
      ],
    };
  },
};

async function turned(plan: BenchPlan, lever: Lever, [index, count]: readonly [number, number]): Promise<Measurement> {
  const { id, what, unit, baselineName } = lever;
  const part = { from: (LEVERS_SHARE * index) / count, to: (LEVERS_SHARE * (index + 1)) / count, label: id };
  const value = (side: () => Promise<number>) => async () => ({ value: await side() });
  const rounds = await interleave<'value', 'turned' | 'baseline'>(
    plan,
    { turned: value(lever.turned), baseline: value(lever.baseline) },
    part,
  );
  return compared({ id: `tuning.${id}`, what, unit, baselineName }, rounds.turned.value, rounds.baseline.value);
}

async function windowed(plan: BenchPlan): Promise<Measurement> {
  const jobs = plan.short ? 1 : 2;
  const open = await startLoneJobs(0);
  try {
    const gathering = await startLoneJobs(WINDOW_MS);
    try {
      const rounds = await interleave<'ms', 'none' | 'second'>(
        plan,
        { none: async () => ({ ms: await open.wait(jobs) }), second: async () => ({ ms: await gathering.wait(jobs) }) },
        { from: LEVERS_SHARE, to: 1, label: 'batchWindow' },
      );
      const named = { id: 'tuning.batchWindow', what: 'from enqueue to start of a lone job, batchWindow 1 s', unit: 'ms' };
      return compared({ ...named, baselineName: 'no window' }, rounds.second.ms, rounds.none.ms);
    } finally {
      await gathering.stop();
    }
  } finally {
    await open.stop();
  }
}
