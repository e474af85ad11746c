import { acquireTimers } from '../../functions/acquirer/acquire-timers.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../frame/any-payload.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { type MeteredStack, startMeteredStack, type StackOptions } from './metered-stack.ts';

/** Write units and requests per job, each measured in this run. Control writes that a tick pays once are not a job's. */
export interface CostFigures {
  /** enqueue, claim, complete. */
  readonly plain: number;
  /** The same with a row in History. */
  readonly plainWithHistory: number;
  /** Both once more on a store that takes claims and completions in batches. */
  readonly plainInBatches: number;
  readonly historyInBatches: number;
  /** Due within the delay horizon: a delayed message, no timer row. */
  readonly shortTimer: number;
  /** schedule, fire (a transaction over two tables), claim, complete. */
  readonly farTimer: number;
  /** The cost of one more failed attempt with a short delay: back to the queue, claim. */
  readonly failedAttempt: number;
  /** Sends, receives and deletes, in batches of ten. */
  readonly sqsRequestsPerJob: number;
}

const noop = defineJob('bench.noop', { payload: anyPayload() });
const failsOnce = defineJob('bench.fails-once', { payload: anyPayload(), retry: 'R3/PT1S' });

const HANDLERS = [
  noop.handle(() => undefined),
  failsOnce.handle(({ job }) => {
    if (job.failures === 0) throw new Error('the first attempt fails');
  }),
];

/** Runs each kind of job `count` times through the production code on the emulators. */
export async function measureCost(count: number, progress: BenchPlan['progress']): Promise<CostFigures> {
  const payloads = Array.from({ length: count }, (_, n) => ({ n }));
  progress(0, 'plain jobs');
  const [plain, sqsRequestsPerJob] = await withStack({ history: 'off' }, async (stack) => {
    await stack.client.enqueueMany(noop, payloads);
    await drained(stack);
    const requests = Object.values(stack.meter.requests).reduce((sum, one) => sum + one, 0);
    return [perJob(stack, count), requests / count] as const;
  });
  const plainJobs = async (stack: MeteredStack): Promise<number> => {
    await stack.client.enqueueMany(noop, payloads);
    await drained(stack);
    return perJob(stack, count);
  };
  progress(0.2, 'with history');
  const plainWithHistory = await withStack({ history: 'outcome' }, plainJobs);
  progress(0.3, 'in batches');
  const plainInBatches = await withStack({ history: 'off', inBatches: true }, plainJobs);
  const historyInBatches = await withStack({ history: 'outcome', inBatches: true }, plainJobs);
  progress(0.5, 'due soon');
  const shortTimer = await withStack({ history: 'off' }, async (stack) => {
    await stack.client.enqueueMany(noop, payloads, { delay: 'PT2S' });
    await drained(stack);
    return perJob(stack, count);
  });
  progress(0.6, 'far timers');
  const farTimer = await withStack({ history: 'off', settings: { delayHorizonMs: 1_000 } }, async (stack) => {
    await stack.client.enqueueMany(noop, payloads, { delay: 'PT4S' });
    const { fired } = await acquireTimers(stack.deps, { acquirer: 0, of: 1 }, { requestId: 'bench', deadlineAt: Date.now() + 60_000 });
    if (fired !== count) throw new Error(`The acquirer fired ${fired} of ${count} timers.`);
    await drained(stack);
    return perJob(stack, count);
  });
  progress(0.8, 'failed attempts');
  const twoAttempts = await withStack({ history: 'off' }, async (stack) => {
    await stack.client.enqueueMany(failsOnce, payloads);
    await drained(stack);
    return perJob(stack, count);
  });
  return {
    plain,
    plainWithHistory,
    plainInBatches,
    historyInBatches,
    shortTimer,
    farTimer,
    failedAttempt: twoAttempts - plain,
    sqsRequestsPerJob,
  };
}

async function withStack<Result>(options: Omit<StackOptions, 'handlers'>, work: (stack: MeteredStack) => Promise<Result>): Promise<Result> {
  const stack = await startMeteredStack({ ...options, handlers: HANDLERS });
  try {
    stack.meter.reset();
    return await work(stack);
  } finally {
    await stack.stop();
  }
}

/** Writes to the tables that hold jobs, per job. */
function perJob(stack: MeteredStack, count: number): number {
  const { jobs, timers, deadLetters, suspended, history } = stack.meter.writes;
  return Math.round(((jobs + timers + deadLetters + suspended + history) / count) * 1000) / 1000;
}

async function drained(stack: MeteredStack): Promise<void> {
  const until = Date.now() + 120_000;
  while ((await stack.rows('jobs')) > 0) {
    if (Date.now() > until) throw new Error('The jobs did not end within two minutes.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // The last deletes of the event source come after the last completion.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
