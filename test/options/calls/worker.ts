import { createAcquirer, createExecutor, createHttpApi, createSweeper, external, runWorker } from '../../../functions/index.ts';
import { createJobClient, deploymentEnvironment } from '../../../shared/index.ts';
import { createMemoryHints, createMemoryHintSource, createMemoryTables, SettableClock } from '../../../testing/index.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { failWith } from './attempts.ts';
import { COMPLETIONS, EXPONENTIAL, INTERVALS, VERDICTS, work } from './samples.ts';
import type { Given, OptionCalls } from '../stray-field.ts';

const environment = deploymentEnvironment();
const clock = new SettableClock(Date.now());
const hints = createMemoryHints({ clock, workers: decodeEnvironment(environment).workers, visibilityMs: 1_000 });
const ports = { tables: createMemoryTables({ clock }), hints, source: createMemoryHintSource(hints, clock) };
const client = createJobClient({ environment, ports });
const tasks = external('default', { environment, ports, types: [work] });

async function completeTask(options: Given['options']): Promise<void> {
  await client.enqueue(work, {});
  for (const { id, token } of await tasks.fetchAndLock(1, 'PT1M')) await tasks.complete(id, token, options);
}

const FUNCTION = [{ options: { ports } }];
const outside = { environment, ports, signal: AbortSignal.abort() };
const HANDLING = [
  { options: { ports, retry: EXPONENTIAL } },
  { options: { retry: INTERVALS } },
  { options: { retryFor: () => EXPONENTIAL } },
  { options: { retryFor: () => INTERVALS } },
  ...VERDICTS.map((verdict) => ({ options: { onError: () => verdict } })),
];

/** Calls of what workers import. */
export const WORKER_CALLS: OptionCalls = {
  createExecutor: {
    given: HANDLING,
    call: async ({ options }) => {
      createExecutor([], options);
      await failWith(options);
    },
  },
  runWorker: {
    given: HANDLING,
    call: async ({ options }) => {
      await failWith(options);
      await runWorker([], { ...outside, ...Object(options) });
    },
  },
  createAcquirer: { given: FUNCTION, call: ({ options }) => createAcquirer(options) },
  createSweeper: { given: FUNCTION, call: ({ options }) => createSweeper(options) },
  createHttpApi: { given: FUNCTION, call: ({ options }) => createHttpApi(options) },
  external: { given: FUNCTION, call: ({ options }) => external('default', options) },
  'External.fetchAndLock': { given: [{ options: {} }], call: ({ options }) => tasks.fetchAndLock(1, 'PT1M', options) },
  'External.complete': { given: COMPLETIONS.map((options) => ({ options })), call: ({ options }) => completeTask(options) },
  'External.fail': { given: [{ failure: { message: 'no' } }], call: ({ failure }) => tasks.fail('id', 'token', failure) },
};
