import { complete, createJobClient, deploymentEnvironment, followUp } from '../../../shared/index.ts';
import { createMemoryTables, createTestKit } from '../../../testing/index.ts';
import { runWith } from './attempts.ts';
import { ENQUEUES, EXPONENTIAL, FOLLOW_UPS, INTERVALS, KEY, work } from './samples.ts';
import type { OptionCalls } from '../stray-field.ts';

const kit = createTestKit([work]);
const { client } = kit;
const environment = deploymentEnvironment();
const ID = client.newId();
const ONE = ENQUEUES.map((options) => ({ options }));
const MANY = [{ keyOf: () => KEY }, { group: { name: 'g' }, retry: EXPONENTIAL }, { retry: INTERVALS }].map((options) => ({ options }));
const BATCHES = FOLLOW_UPS.map((one) => ({ options: { onCompleted: one, onSucceeded: one, onFailed: one, group: { name: 'g' } } }));
const NO_KEYS = /^options\.on\w+\.options\.key/;

/** Refusals of single jobs are reported; the first one is thrown. */
async function firstOf(report: Promise<{ readonly failed: readonly { readonly error: unknown }[] }>): Promise<void> {
  for (const { error } of (await report).failed) throw error;
}

/** Calls of a client. */
export const CLIENT_CALLS: OptionCalls = {
  createJobClient: {
    given: [
      { options: { ports: { tables: createMemoryTables() } } },
      { options: {} },
      ...ENQUEUES.map((more) => ({
        options: { environment, ports: { tables: createMemoryTables() }, beforeCreate: [() => ({ type: 'work', payload: {}, ...more })] },
      })),
    ],
    call: ({ options }) => createJobClient(options).enqueue(work, {}),
  },
  'JobClient.enqueue': { given: ONE, call: ({ options }) => client.enqueue(work, {}, options) },
  'JobClient.enqueueMany': { given: MANY, call: ({ options }) => firstOf(client.enqueueMany(work, [{}], options)) },
  'JobClient.prepare': { given: ONE, call: ({ options }) => client.prepare(work, {}, options) },
  'JobClient.cancel': { given: [{ options: {} }], call: ({ options }) => client.cancel(ID, options) },
  'JobClient.cancelByKey': { given: [{ options: {} }], call: ({ options }) => client.cancelByKey(work, 'k', options) },
  'JobClient.reschedule': { given: [{ when: {} }], call: ({ when }) => client.reschedule(ID, when) },
  'JobClient.waitForResult': { given: [{ options: {} }], call: ({ options }) => client.waitForResult(ID, options) },
  'JobClient.newId': { given: [{ when: {} }], call: ({ when }) => client.newId(when) },
  'BatchVerbs.createBatch': { given: BATCHES, never: NO_KEYS, call: ({ options }) => client.createBatch(options) },
  'BatchVerbs.enqueueBatch': { given: BATCHES, never: NO_KEYS, call: ({ options }) => client.enqueueBatch(work, [], options) },
  'JobBatch.enqueue': { given: ONE, call: async ({ options }) => (await client.createBatch()).enqueue(work, {}, options) },
  'JobBatch.enqueueMany': {
    given: MANY,
    call: async ({ options }) => firstOf((await client.createBatch()).enqueueMany(work, [{}], options)),
  },
  followUp: { given: ONE, call: ({ options }) => runWith(() => complete({ enqueue: [followUp(work, {}, options)] })) },
};
