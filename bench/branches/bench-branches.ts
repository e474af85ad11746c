import { availableParallelism } from 'node:os';
import type { Bench, BenchPlan } from '../frame/bench.ts';
import { compared, measured, type Measurement } from '../frame/measurement.ts';
import { spreadOf } from '../frame/spread.ts';
import { startEmulated } from '../throughput/emulated.ts';
import { type Branches, type Mode, startBranches, TASKS } from './start-branches.ts';
import type { TaskKind } from './tasks.ts';

/** One way to do the tasks: the mode, in an executor that takes so many messages for one invocation. */
interface Way {
  readonly id: string;
  readonly what: string;
  readonly mode: Mode;
  readonly batchSize: number;
}

const DEFAULT_BATCH = 10;
/** In the order of the article's table; the first is what the others are compared with. */
const WAYS: readonly Way[] = [
  { id: 'turn', what: 'one after another in one job', mode: 'in turn', batchSize: DEFAULT_BATCH },
  { id: 'once', what: 'promises in one job', mode: 'at once', batchSize: DEFAULT_BATCH },
  { id: 'jobs', what: 'a job each, up to 10 in an invocation', mode: 'a job each', batchSize: DEFAULT_BATCH },
  { id: 'apart', what: 'a job each, one in an invocation', mode: 'a job each', batchSize: 1 },
  { id: 'batch', what: 'a batch with a callback, one job in an invocation', mode: 'a batch', batchSize: 1 },
];
const KINDS: readonly TaskKind[] = ['waits', 'computes'];
/** Of a task: milliseconds of a wait, iterations of a computation. */
const FULL: Readonly<Record<TaskKind, number>> = { waits: 500, computes: 2_000_000 };
const SHORT: Readonly<Record<TaskKind, number>> = { waits: 50, computes: 100_000 };

const keyOf = ({ id }: Way, kind: TaskKind): string => `${kind}.${id}`;

/** How long ten tasks take in each of the ways that Flowable's article on parallel service tasks compares. */
export const benchBranches: Bench = {
  name: 'branches',
  what: 'ten tasks that wait or compute: one after another, as promises of one job, as jobs of their own, and as a batch with a callback',
  figures: KINDS.flatMap((kind) => WAYS.map((way) => `branches.${keyOf(way, kind)}`)),
  async run(plan) {
    const size = plan.short ? SHORT : FULL;
    const emulated = await startEmulated();
    try {
      const [together, apart] = [await startBranches(emulated, DEFAULT_BATCH), await startBranches(emulated, 1)];
      const branchesOf = ({ batchSize }: Way): Branches => (batchSize === 1 ? apart : together);
      try {
        const found = await measure(plan, size, branchesOf);
        return {
          measurements: KINDS.flatMap((kind) => lines(kind, found)),
          details: { seconds: Object.fromEntries(KINDS.map((kind) => [kind, medians(kind, found)])) },
          notes: [
            `Seconds from the enqueue until the last task, or the callback, has ended. A wait takes ${size.waits} ms. A computation, ${size.computes.toLocaleString('en-US')} iterations of PBKDF2, holds its thread.`,
            `Each sandbox is a process. ${availableParallelism()} processors share the computations here; in Lambda each sandbox has a share of its own.`,
          ],
        };
      } finally {
        await Promise.all([together.stop(), apart.stop()]);
      }
    } finally {
      await emulated.stop();
    }
  },
};

type Found = ReadonlyMap<string, readonly number[]>;

async function measure(plan: BenchPlan, size: Readonly<Record<TaskKind, number>>, branchesOf: (way: Way) => Branches): Promise<Found> {
  // Sandboxes are started before anything counts: ten that wait at the same time are as many as any way needs.
  for (const way of WAYS) await branchesOf(way).run(way.mode, 'waits', FULL.waits);
  const found = new Map<string, number[]>();
  for (let round = 0; round < plan.rounds; round += 1) {
    plan.progress(round / plan.rounds, `round ${round + 1} of ${plan.rounds}`);
    for (const kind of KINDS) {
      for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const seconds = await branchesOf(way).run(way.mode, kind, size[kind]);
        found.set(keyOf(way, kind), [...(found.get(keyOf(way, kind)) ?? []), seconds]);
      }
    }
  }
  return found;
}

function lines(kind: TaskKind, found: Found): readonly Measurement[] {
  const [first, ...others] = WAYS;
  if (first === undefined) return [];
  const named = (way: Way) => ({ id: `branches.${keyOf(way, kind)}`, what: `${TASKS} tasks that ${VERBS[kind]}, ${way.what}`, unit: 's' });
  const base = found.get(keyOf(first, kind)) ?? [];
  const alone = { baselineName: first.what };
  return [
    measured(named(first), base),
    ...others.map((way) => compared({ ...named(way), ...alone }, found.get(keyOf(way, kind)) ?? [], base)),
  ];
}

const VERBS = { waits: 'wait', computes: 'compute' } as const;

const medians = (kind: TaskKind, found: Found): Readonly<Record<string, number>> =>
  Object.fromEntries(WAYS.map((way) => [way.what, spreadOf(found.get(keyOf(way, kind)) ?? []).median]));
