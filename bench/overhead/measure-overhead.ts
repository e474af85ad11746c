import type { BenchPlan } from '../frame/bench.ts';
import { interleave, type Rounds } from '../frame/interleave.ts';
import { watchRequests } from '../latency/split.ts';
import { type ProfileShares, profiled } from './profile.ts';
import { createBatchedSides, createSides, type OverheadSides, type Turn } from './sides.ts';

/** Microseconds per job, one value a round. */
type PerRound<Sides extends string> = Rounds<'wall' | 'cpu', Sides>;

/** Plain data, because it is sent from another process. */
export interface OverheadFigures {
  readonly executor: PerRound<'ours' | 'withHistory' | 'handWritten' | 'sdkDefaults'>;
  readonly enqueue: PerRound<'ours' | 'handWritten'>;
  readonly profile: Readonly<Record<'executor' | 'handWritten', ProfileShares>>;
}

/** The same of a store that takes claims in batches. */
export interface BatchedFigures {
  /** DynamoDB requests of a plain job, from enqueueMany to its completion, in deliveries of ten. */
  readonly requests: number;
  readonly executor: PerRound<'ours' | 'batchingOff' | 'handWritten' | 'byHand'>;
  readonly profile: Readonly<Record<'executor' | 'byHand', ProfileShares>>;
}

/** How much is done; a round is several short turns of each side, so that a machine that is busy for a second is so for both. */
interface Size {
  readonly turns: number;
  readonly jobs: number;
  readonly warmUp: number;
  readonly profiled: number;
}

const FULL: Size = { turns: 4, jobs: 100, warmUp: 600, profiled: 1_000 };
const SHORT: Size = { turns: 1, jobs: 20, warmUp: 0, profiled: 100 };

/** Measures everything in this process; the emulators are in others. */
export async function measureOverhead(plan: BenchPlan): Promise<OverheadFigures> {
  const size = plan.short ? SHORT : FULL;
  const sides = await createSides();
  try {
    await warmUp(plan, size, sides);
    const executor = await rounds(plan, size, sides.executor, { from: 0.2, to: 0.7, label: 'executor, turn' });
    const enqueue = await rounds(plan, size, sides.enqueue, { from: 0.7, to: 0.9, label: 'enqueue, turn' });
    plan.progress(0.9, 'profile');
    const { ours, handWritten } = sides.executor;
    const profile = { executor: await profileOf(ours, size.profiled), handWritten: await profileOf(handWritten, size.profiled) };
    return { executor, enqueue, profile };
  } finally {
    sides.close();
  }
}

/** Measures what batches save, in this process; the store is in another. */
export async function measureBatched(plan: BenchPlan): Promise<BatchedFigures> {
  const size = plan.short ? SHORT : FULL;
  const opened = await createBatchedSides();
  const sides = opened.executor;
  try {
    plan.progress(0, 'warm up');
    for (const turn of Object.values(sides)) if (size.warmUp > 0) await turn(size.warmUp);
    const executor = await rounds(plan, size, sides, { from: 0.2, to: 0.9, label: 'batches, turn' });
    plan.progress(0.9, 'profile');
    const requests = await requestsOf(sides.ours, size.profiled);
    const profile = { executor: await profileOf(sides.ours, size.profiled), byHand: await profileOf(sides.byHand, size.profiled) };
    return { executor, requests, profile };
  } finally {
    opened.close();
  }
}

/** All requests to DynamoDB of a turn, by the job: those that put its jobs, too. */
async function requestsOf(turn: Turn, jobs: number): Promise<number> {
  const requests = watchRequests();
  try {
    await turn(jobs);
    return requests.between(0, Infinity).filter(({ what }) => TO_DYNAMODB.test(what)).length / jobs;
  } finally {
    requests.stop();
  }
}

const TO_DYNAMODB =
  /^ask (?:(?:Get|Put|Update|Delete|TransactWrite|TransactGet|BatchWrite|BatchGet)Items?|BatchExecuteStatement|Query|Scan)$/;

/** One more turn that counts in no round. */
async function profileOf(turn: Turn, jobs: number): Promise<ProfileShares> {
  let shares: ProfileShares = {};
  await turn(jobs, async (work) => void (shares = await profiled(work)));
  return shares;
}

async function warmUp(plan: Pick<BenchPlan, 'progress'>, { warmUp: jobs }: Size, { executor, enqueue }: OverheadSides): Promise<void> {
  if (jobs === 0) return;
  plan.progress(0, 'warm up');
  for (const turn of Object.values(executor)) await turn(jobs);
  for (const turn of Object.values(enqueue)) await turn(jobs / 2);
}

async function rounds<Sides extends string>(
  plan: BenchPlan,
  { turns, jobs }: Size,
  sides: Readonly<Record<Sides, Turn>>,
  part: { readonly from: number; readonly to: number; readonly label: string },
): Promise<PerRound<Sides>> {
  const once = Object.fromEntries((Object.entries(sides) as [Sides, Turn][]).map(([name, turn]) => [name, async () => turn(jobs)]));
  const taken = await interleave<'wall' | 'cpu', Sides>(
    { ...plan, rounds: plan.rounds * turns },
    once as Record<Sides, () => ReturnType<Turn>>,
    part,
  );
  const joined = Object.entries(taken).map(([name, figures]) => {
    const { wall, cpu } = figures as PerRound<Sides>[Sides];
    return [name, { wall: means(wall, turns), cpu: means(cpu, turns) }];
  });
  return Object.fromEntries(joined) as PerRound<Sides>;
}

/** The mean of each `size` values in a row. */
export function means(values: readonly number[], size: number): readonly number[] {
  return Array.from({ length: Math.floor(values.length / size) }, (_, group) => {
    const own = values.slice(group * size, (group + 1) * size);
    return own.reduce((sum, one) => sum + one, 0) / own.length;
  });
}
