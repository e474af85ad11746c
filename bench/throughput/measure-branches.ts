import type { BenchPlan } from '../frame/bench.ts';
import { compared, type Measurement } from '../frame/measurement.ts';
import { startBranches } from './branches.ts';
import type { Emulated } from './emulated.ts';
import type { Part } from './per-second.ts';

const [FULL_SLEEP_MS, SHORT_SLEEP_MS] = [5_000, 200];
const [FEW, MANY, MANY_SHORT] = [10, 50, 20];
/** Every batch of ten messages may hold a job that sleeps, so fifty branches keep fifty invocations for as long, and more where batches are not full. */
const WIDE = 100;
/** Half of what ten branches take. */
const NARROW = 5;
/** Beyond it the branches are in each other's way. */
const TARGET = { at: 'most', value: 1.2 } as const;

/**
 * The seconds that one, ten and fifty branches take of ten jobs each, a fifth of which sleep, and ten branches where half as many invocations
 * are allowed as they take. Sleeping costs no CPU, so the last two take turns together.
 */
export async function measureBranches(plan: BenchPlan, emulated: Emulated, part: Part): Promise<readonly Measurement[]> {
  const sleepMs = plan.short ? SHORT_SLEEP_MS : FULL_SLEEP_MS;
  const most = plan.short ? MANY_SHORT : MANY;
  const wide = await startBranches(await emulated.place(), WIDE);
  const narrow = await startBranches(await emulated.place(), NARROW);
  const seconds: Record<'one' | 'few' | 'many' | 'bound', number[]> = { one: [], few: [], many: [], bound: [] };
  try {
    // Sandboxes and connections are made before anything counts.
    await Promise.all([wide.run(most, SHORT_SLEEP_MS), narrow.run(FEW, SHORT_SLEEP_MS)]);
    const turns = [
      async () => seconds.one.push(await wide.run(1, sleepMs)),
      async () => seconds.many.push(await wide.run(most, sleepMs)),
      async () => {
        const [few, bound] = await Promise.all([wide.run(FEW, sleepMs), narrow.run(FEW, sleepMs)]);
        seconds.few.push(few);
        seconds.bound.push(bound);
      },
    ];
    for (let round = 0; round < plan.rounds; round += 1) {
      plan.progress(part.from + ((part.to - part.from) * round) / plan.rounds, `branches ${round + 1} of ${plan.rounds}`);
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
  } finally {
    await Promise.all([wide.stop(), narrow.stop()]);
  }
  const line = (id: string, what: string, target?: typeof TARGET) => ({ id, what, unit: 's', ...(target === undefined ? {} : { target }) });
  const alone = { besideName: 'one branch' };
  return [
    compared({ ...line('throughput.branches', `${most} branches of 10 jobs`, TARGET), ...alone }, seconds.many, seconds.one),
    compared({ ...line('throughput.branches.few', `${FEW} branches of 10 jobs`), ...alone }, seconds.few, seconds.one),
    compared(
      { ...line('throughput.branches.bound', `${FEW} branches in ${NARROW} invocations`), besideName: `${FEW} branches unbound` },
      seconds.bound,
      seconds.few,
    ),
  ];
}
