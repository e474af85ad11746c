import { once } from 'node:events';
import { join } from 'node:path';
import { startDynamoDBLocal } from '../../local/emulators/dynamodb-local.ts';
import { startDynoxide } from '../../local/emulators/dynoxide.ts';
import type { RunningDynamo } from '../../local/emulators/emulator-process.ts';
import { EMULATED } from '../../local/emulators/emulator-credentials.ts';
import { startFauxqs } from '../../local/emulators/fauxqs.ts';
import { boundFork } from '../../test/support/bound-fork.ts';
import type { Bench, BenchPlan } from '../frame/bench.ts';
import { compared, measured, type Measurement, type Target } from '../frame/measurement.ts';
import { batchingOff, BY_SINGLE_WRITES } from './batching-off.ts';
import type { BatchedFigures, OverheadFigures } from './measure-overhead.ts';
import type { ProfileShares } from './profile.ts';

/** The output of the measured process. */
export type Said<Figures> =
  | { readonly kind: 'progress'; readonly done: number; readonly now: string }
  | { readonly kind: 'figures'; readonly figures: Figures };

const TARGET: Target = { at: 'most', value: 1.15 };
const REQUESTS_TARGET: Target = { at: 'most', value: 0.4 };
/** Beside a handler with a request for each write, and beside a bare loop in batches. */
const BATCHED_TARGETS = { handWritten: { at: 'most', value: 0.5 }, byHand: { at: 'most', value: 1.25 } } as const;

const SINGLE = ['job', 'executor', 'executorBesideDefaults', 'history', 'enqueue'] as const;
const BATCHED = ['batched.handWritten', 'batched.byHand'] as const;

/**
 * Compares the executor and the client with hand-written code. Everything measured runs in a process of its own: the store
 * is another one, fauxqs stays in this one, and SQS events are handed to both handlers as Lambda would, so the CPU that
 * counts is that of the code that would run in the function.
 */
export const benchOverhead: Bench = {
  name: 'overhead',
  what: 'CPU and wall time per job, compared with a hand-written handler with the same writes',
  figures: [
    ...[...SINGLE, ...BATCHED, 'batchingOff'].flatMap((id) => [`overhead.${id}.wall`, `overhead.${id}.cpu`]),
    'overhead.batched.requests',
  ],
  async run(plan) {
    const of = (from: number): BenchPlan => ({ ...plan, progress: (done, now) => plan.progress(from + done / 2, now) });
    const single = await oneByOne(of(0));
    const batched = await inBatches(of(0.5));
    return {
      measurements: [...single.measurements, ...batched.measurements],
      details: { profile: { ...single.profile, ...batched.profile } },
      notes: [...single.notes, ...batched.notes],
    };
  },
};

interface Part {
  readonly measurements: readonly Measurement[];
  readonly profile: Readonly<Record<string, ProfileShares>>;
  readonly notes: readonly string[];
}

/** Over Dynoxide, where each claim is a request of its own: it takes no claims in batches (decision 41). */
export async function oneByOne(plan: BenchPlan): Promise<Part> {
  const figures = await inOwnProcess<OverheadFigures>(plan, 'single', startDynoxide);
  return {
    measurements: measurementsOf(figures),
    profile: figures.profile,
    notes: [
      'Batches of ten messages. The store is an emulator on this machine, so the ratio of wall times measures code more than a network.',
      'Both sides put the same row. Their SDK clients have the same settings as ours: timeouts, sockets, and no middleware that copies each call for a logger. "Default SDK clients" have none of these settings.',
      `Of the executor's CPU: ${profileText(figures.profile.executor)}.`,
    ],
  };
}

/** Over DynamoDB Local, where ten claims share a request, as on AWS. */
async function inBatches(plan: BenchPlan): Promise<Part> {
  const figures = await inOwnProcess<BatchedFigures>(plan, 'batched', () => startDynamoDBLocal({}));
  return {
    measurements: batchedMeasurementsOf(figures),
    profile: { batched: figures.profile.executor, 'batched by hand': figures.profile.byHand },
    notes: [
      'Figures "in batches" come from DynamoDB Local, where the executor claims and completes ten jobs with two requests, as on AWS; so do those "with batching off", where it makes a request for each write. The others come from Dynoxide, which takes no claims in batches.',
      `Of the executor's CPU in batches: ${profileText(figures.profile.executor)}.`,
    ],
  };
}

async function inOwnProcess<Figures>(
  { rounds, short, progress }: BenchPlan,
  part: 'single' | 'batched',
  startStore: () => Promise<RunningDynamo>,
): Promise<Figures> {
  progress(0, 'emulators');
  const [database, queueing] = await Promise.all([startStore(), startFauxqs()]);
  try {
    const given = { ...process.env, ...EMULATED, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_ENDPOINT_URL_SQS: queueing.endpoint };
    const child = boundFork(join(import.meta.dirname, 'overhead-process.ts'), [part, String(rounds), short ? 'short' : 'full'], {
      env: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      // The executor's metrics go to stdout, which is a report's here.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let figures: Figures | undefined;
    child.on('message', (said: Said<Figures>) => {
      if (said.kind === 'figures') ({ figures } = said);
      else progress(said.done, said.now);
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (figures === undefined) throw new Error(`The measured process ended with ${code} and no figures.`);
    return figures;
  } finally {
    await Promise.all([database.stop(), queueing.stop()]);
  }
}

/** Claim, run and complete where both travel in batches, beside a request for each write and beside the bare loop. */
export function batchedMeasurementsOf({ executor, requests }: BatchedFigures): readonly Measurement[] {
  const names = { handWritten: BY_SINGLE_WRITES, byHand: 'bare loop, a request for ten writes' } as const;
  const compares = (['wall', 'cpu'] as const).flatMap((kind) =>
    (['handWritten', 'byHand'] as const).map((side) =>
      compared(
        {
          id: `overhead.batched.${side}.${kind}`,
          what: `claim, run, complete in batches: ${kind === 'wall' ? 'wall time' : 'CPU'} per job`,
          unit: 'us',
          baselineName: names[side],
          ...(kind === 'cpu' && { target: BATCHED_TARGETS[side] }),
        },
        executor.ours[kind],
        executor[side][kind],
      ),
    ),
  );
  const without = (['wall', 'cpu'] as const).map((kind) =>
    compared(batchingOff(kind), executor.batchingOff[kind], executor.handWritten[kind]),
  );
  const what = 'plain job in deliveries of ten, enqueueMany to completion';
  return [
    ...compares,
    ...without,
    measured({ id: 'overhead.batched.requests', what, unit: 'requests', target: REQUESTS_TARGET }, [requests]),
  ];
}

/** Every figure of the bench: wall and CPU of each side that has a baseline, the whole life of a job first. */
export function measurementsOf({ executor, enqueue }: OverheadFigures): readonly Measurement[] {
  return (['wall', 'cpu'] as const).flatMap((kind) => {
    const line = (id: (typeof SINGLE)[number], what: string, baselineName: string, target?: Target) => ({
      id: `overhead.${id}.${kind}`,
      what: `${what}: ${kind === 'wall' ? 'wall time' : 'CPU'} per job`,
      unit: 'us',
      baselineName,
      ...(target && { target }),
    });
    const { ours, withHistory, handWritten, sdkDefaults } = executor;
    const life = [summed(enqueue.ours[kind], ours[kind]), summed(enqueue.handWritten[kind], handWritten[kind])] as const;
    return [
      compared(line('job', 'enqueue, claim, run, complete', 'the same three writes by hand', TARGET), ...life),
      compared(line('executor', 'claim, run, complete', 'hand-written handler', TARGET), ours[kind], handWritten[kind]),
      compared(line('executorBesideDefaults', 'claim, run, complete', 'the same, default SDK clients'), ours[kind], sdkDefaults[kind]),
      compared(line('history', 'the same with history', 'hand-written handler'), withHistory[kind], handWritten[kind]),
      compared(line('enqueue', 'enqueue', 'PutItem and SendMessage'), enqueue.ours[kind], enqueue.handWritten[kind]),
    ];
  });
}

/** Round by round. */
const summed = (some: readonly number[], others: readonly number[]): readonly number[] =>
  some.map((value, round) => value + (others[round] ?? Number.NaN));

/** The shares of at least a percent, as text. */
function profileText(shares: Readonly<Record<string, number>>): string {
  const told = Object.entries(shares).filter(([, share]) => share >= 0.01);
  return told.map(([group, share]) => `${group} ${(share * 100).toFixed(1)} %`).join(', ');
}
