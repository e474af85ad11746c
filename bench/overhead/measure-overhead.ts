import type { BenchPlan } from '../frame/bench.ts';
import { interleave, type Rounds } from '../frame/interleave.ts';
import { type ProfileShares, profiled } from './profile.ts';
import { createSides, type OverheadSides, type Turn } from './sides.ts';

/** Microseconds per job, one value a round. */
type PerRound<Sides extends string> = Rounds<'wall' | 'cpu', Sides>;

/** Plain data: it comes out of a process of its own. */
export interface OverheadFigures {
  readonly executor: PerRound<'ours' | 'withHistory' | 'handWritten' | 'sdkDefaults'>;
  readonly enqueue: PerRound<'ours' | 'handWritten'>;
  readonly profile: Readonly<Record<'executor' | 'handWritten', ProfileShares>>;
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
