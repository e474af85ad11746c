import type { BenchPlan } from '../frame/bench.ts';
import { compared, type Measurement } from '../frame/measurement.ts';
import { spreadOf } from '../frame/spread.ts';
import { type BranchRun, startBranches } from './branches.ts';
import type { Emulated } from './emulated.ts';
import type { Part } from './per-second.ts';

const [FULL_SLEEP_MS, SHORT_SLEEP_MS] = [5_000, 200];
const [FEW, MANY, MANY_SHORT] = [10, 50, 20];
/** Every batch of ten messages may hold a job that sleeps, so fifty branches keep fifty invocations for as long, and more where batches are not full. */
const WIDE = 100;
/** Half of the concurrency that ten branches need. */
const NARROW = 5;
/** Beyond it the branches are in each other's way. */
const TARGET = { at: 'most', value: 1.2 } as const;

/** The times of the runs of some branches; `awake` is the time of the same branches if none of their jobs sleeps. */
interface Runs {
  readonly seconds: number[];
  readonly cpu: number[];
  readonly awake: number[];
}

/** The lines and their details: medians for each number of branches. */
export interface BranchFigures {
  readonly measurements: readonly Measurement[];
  readonly branches: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly note: string;
}

/**
 * The seconds that one, ten and fifty branches take of ten jobs each, a fifth of which sleep, and ten branches where half as many invocations
 * are allowed as they take. Sleeping costs no CPU, so the last two take turns together.
 */
export async function measureBranches(plan: BenchPlan, emulated: Emulated, part: Part): Promise<BranchFigures> {
  const sleepMs = plan.short ? SHORT_SLEEP_MS : FULL_SLEEP_MS;
  const most = plan.short ? MANY_SHORT : MANY;
  const wide = await startBranches(await emulated.place(), WIDE);
  const narrow = await startBranches(await emulated.place(), NARROW);
  const [one, many] = [noRuns(), noRuns()];
  const [few, bound]: [number[], number[]] = [[], []];
  try {
    // Sandboxes and connections are made before anything counts.
    await Promise.all([wide.run(most, SHORT_SLEEP_MS), narrow.run(FEW, SHORT_SLEEP_MS)]);
    const turns = [
      async () => gather(one, await wide.run(1, sleepMs), await wide.run(1, 0)),
      async () => gather(many, await wide.run(most, sleepMs), await wide.run(most, 0)),
      async () => {
        const [unbound, inTurn] = await Promise.all([wide.run(FEW, sleepMs), narrow.run(FEW, sleepMs)]);
        few.push(unbound.seconds);
        bound.push(inTurn.seconds);
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
  const alone = { baselineName: 'one branch' };
  return {
    measurements: [
      compared({ ...line('throughput.branches', `${most} branches of 10 jobs`, TARGET), ...alone }, many.seconds, one.seconds),
      compared({ ...line('throughput.branches.few', `${FEW} branches of 10 jobs`), ...alone }, few, one.seconds),
      compared(
        { ...line('throughput.branches.bound', `${FEW} branches in ${NARROW} invocations`), baselineName: `${FEW} branches unbound` },
        bound,
        few,
      ),
    ],
    branches: { one: medians(one), [`of${most}`]: medians(many) },
    note: workNote(most, many, sleepMs),
  };
}

const noRuns = (): Runs => ({ seconds: [], cpu: [], awake: [] });

function gather({ seconds, cpu, awake }: Runs, run: BranchRun, sleepless: BranchRun): void {
  seconds.push(run.seconds);
  cpu.push(run.cpuSeconds);
  awake.push(sleepless.seconds);
}

const medians = ({ seconds, cpu, awake }: Runs): Readonly<Record<string, number>> => ({
  seconds: spreadOf(seconds).median,
  cpuSeconds: spreadOf(cpu).median,
  secondsWithoutSleep: spreadOf(awake).median,
});

/** Which part of the time is this machine's work, and would be spread over as many sandboxes in Lambda. */
function workNote(most: number, runs: Runs, sleepMs: number): string {
  const { cpuSeconds, secondsWithoutSleep } = medians(runs);
  const text = (value: number | undefined): string => (value ?? Number.NaN).toFixed(2);
  return `${sleepMs / 1_000} s of the time of ${most} branches are sleep. The same ${most * 10} jobs take ${text(secondsWithoutSleep)} s if none sleeps, in one process that is the client and all executors and uses ${text(cpuSeconds)} s of CPU, next to two emulators. That part depends on this machine, not on the branches.`;
}
