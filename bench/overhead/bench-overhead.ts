import { once } from 'node:events';
import { join } from 'node:path';
import { startDynoxide } from '../../local/dynoxide.ts';
import { EMULATED } from '../../local/emulator-credentials.ts';
import { startFauxqs } from '../../local/fauxqs.ts';
import { boundFork } from '../../test/support/bound-fork.ts';
import type { Bench, BenchPlan } from '../frame/bench.ts';
import { compared, type Measurement, type Target } from '../frame/measurement.ts';
import type { OverheadFigures } from './measure-overhead.ts';

/** What the measured process says. */
export type Said =
  | { readonly kind: 'progress'; readonly done: number; readonly now: string }
  | { readonly kind: 'figures'; readonly figures: OverheadFigures };

const TARGET: Target = { at: 'most', value: 1.15 };

/**
 * Compares the executor and the client with hand-written code. Everything that is measured runs in a process of its own:
 * Dynoxide is another one, fauxqs stays in this one, and SQS events are handed to both handlers as Lambda would, so the CPU that
 * counts is that of the code that would run in the function.
 */
export const benchOverhead: Bench = {
  name: 'overhead',
  what: 'CPU and wall time per job, compared with a hand-written handler with the same writes',
  async run(plan) {
    const figures = await inOwnProcess(plan);
    return {
      measurements: measurementsOf(figures),
      details: { profile: figures.profile },
      notes: [
        'Batches of ten messages. The emulated store answers at once, so the ratio of wall times measures code, not a network.',
        'Both sides put the same row. Their SDK clients have the same settings as ours: timeouts, sockets, and no middleware that copies each call for a logger. "Default SDK clients" have none of these settings, as in most code.',
        `Of the executor's CPU: ${profileText(figures.profile.executor)}.`,
      ],
    };
  },
};

async function inOwnProcess({ rounds, short, progress }: BenchPlan): Promise<OverheadFigures> {
  progress(0, 'emulators');
  const [database, queueing] = await Promise.all([startDynoxide(), startFauxqs()]);
  try {
    const given = { ...process.env, ...EMULATED, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_ENDPOINT_URL_SQS: queueing.endpoint };
    const child = boundFork(join(import.meta.dirname, 'overhead-process.ts'), [String(rounds), short ? 'short' : 'full'], {
      env: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      // The executor's metrics go to stdout, which is a report's here.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let figures: OverheadFigures | undefined;
    child.on('message', (said: Said) => {
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

/** Every figure of the bench: wall and CPU of each side that has a baseline, the whole life of a job first. */
export function measurementsOf({ executor, enqueue }: OverheadFigures): readonly Measurement[] {
  return (['wall', 'cpu'] as const).flatMap((kind) => {
    const line = (id: string, what: string, baselineName: string, target?: Target) => ({
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
