import { expect, it } from 'vitest';
import { BatchUnknownError, InvalidInputError } from '../../../shared/job/errors.ts';
import type { EnqueueOptions } from '../../../shared/job/enqueue-options.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const YEAR = 365 * 86_400_000;
const work = defineJob('work', { payload: anyPayload });
const replacing: EnqueueOptions = { key: { value: 'k', onConflict: 'replace' } };
const debounced: EnqueueOptions = { key: { value: 'k', onConflict: 'debounce', debounce: { wait: 'PT1M' } } };
const wrong = (value: unknown): never => value as never;
const open = async ({ client }: Rig) => client.createBatch();

/** Takes a date, and refuses the text that JSON makes of it. */
const validate = ({ at }: { at: Date }) => (at instanceof Date ? { value: { at } } : { issues: [{ message: 'no date' }] });
const dated = defineJob('dated', { payload: { '~standard': { version: 1, vendor: 'test', validate: validate as never } } });

const CALLS: readonly [string, (rig: Rig) => Promise<unknown>, string][] = [
  ['a payload that its type would refuse as it is stored', async ({ client }) => client.enqueue(dated, { at: new Date(0) }), 'payload'],
  ['a prepared job of no type', async ({ client }) => client.prepare(wrong({}), {}), 'type'],
  ['a child of no type', async (rig) => (await open(rig)).enqueue(wrong({}), {}), 'type'],
  ['a misspelt option of a child', async (rig) => (await open(rig)).enqueue(work, {}, wrong({ dealy: 1 })), 'options'],
  ['another batch for a child', async (rig) => (await open(rig)).enqueue(work, {}, { batch: 'b' }), 'batch'],
  ['a misspelt option of many children', async (rig) => (await open(rig)).enqueueMany(work, [{}], wrong({ dealy: 1 })), 'options'],
  ['another batch for many children', async (rig) => (await open(rig)).enqueueMany(work, [{}], wrong({ batch: 'b' })), 'batch'],
  ['a key that may replace a job, in prepare', async ({ client }) => client.prepare(work, {}, replacing), 'key.onConflict'],
  ['a key that may replace a job, for a child', async (rig) => (await open(rig)).enqueue(work, {}, replacing), 'key.onConflict'],
  [
    'a key that may replace a job, with an own id',
    async ({ client }) => client.enqueue(work, {}, { ...replacing, id: client.newId() }),
    'id',
  ],
  ['a key that may replace a job, in a batch', async ({ client }) => client.enqueue(work, {}, { ...replacing, batch: 'b' }), 'batch'],
  ['a due time beside a debounce', async ({ client }) => client.enqueue(work, {}, { ...debounced, runAt: new Date() }), 'runAt'],
  ['a delay beside a debounce', async ({ client }) => client.enqueue(work, {}, { ...debounced, delay: 'PT1M' }), 'delay'],
  ['a name of a batch that is no text', async ({ client }) => client.createBatch(wrong({ name: 5 })), 'name'],
  ['a group of a batch that is no text', async ({ client }) => client.createBatch(wrong({ group: 5 })), 'group'],
  ['a priority of a batch that is none', async ({ client }) => client.createBatch(wrong({ priority: 'high' })), 'priority'],
  ['a callback of no type', async ({ client }) => client.createBatch(wrong({ onFailed: { type: {}, payload: {} } })), 'type'],
  ['options of a whole batch that are none', async ({ client }) => client.enqueueBatch(work, [], wrong(5)), 'options'],
  ['a batch to seal that has no id', async ({ client }) => client.sealBatch(wrong(undefined)), 'id'],
  ['a batch to cancel that has no id', async ({ client }) => client.cancelBatch(wrong(undefined)), 'id'],
  ['a key to cancel of no type', async ({ client }) => client.cancelByKey(wrong({}), 'k'), 'type'],
  ['a misspelt option of a cancel by key', async ({ client }) => client.cancelByKey(work, 'k', wrong({ reson: 'r' })), 'options'],
  ['a misspelt option of a wait', async ({ client }) => client.waitForResult(client.newId(), wrong({ timeOut: 1 })), 'options'],
  [
    'an id that is due later than any job can be',
    async ({ client, clock }) => client.enqueue(work, {}, { id: idDueAt(client.newId(), clock.now() + 101 * YEAR) }),
    'runAt',
  ],
];

/** An id with another due time in its first twelve digits. */
function idDueAt(id: string, ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`;
}

it.each(CALLS)('%s is refused, and nothing is written', async (_name, call, field) => {
  const rig = new Rig();
  const error = await call(rig).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as InvalidInputError).field).toBe(field);
  expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
});

it('a client for one tenant neither seals nor cancels the batch of another', async () => {
  const rig = new Rig();
  const { id } = await rig.client.createBatch({ tenant: 'globex' });
  const acme = rig.client.forTenant('acme');
  await expect(acme.sealBatch(id)).rejects.toThrow(BatchUnknownError);
  await expect(acme.cancelBatch(id)).rejects.toThrow(BatchUnknownError);
  expect(await rig.client.batch(id)).toMatchObject({ state: 'open' });
});
