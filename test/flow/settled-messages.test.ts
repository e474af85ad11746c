import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob, type HandledJob } from '../../shared/core/job-type.ts';
import { defineLimit } from '../../shared/core/limit.ts';
import type { JournalEvent } from '../../shared/ports/journal.ts';
import { type FaultyRig, faultyRig, take } from '../support/faulty-rig.ts';
import { type Aim, aimAt, aimAtChangeOf } from '../support/faulty-tables.ts';
import { anyPayload, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const LANES = { default: { lanes: { default: 'q/default', urgent: 'q/urgent' }, from: { urgent: 10 }, fifo: 'q/default.fifo' } };
const plain = defineJob('plain', { payload: anyPayload });
const one = defineJob('one', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });
const rated = defineJob('rated', { payload: anyPayload, limits: [defineLimit('rated', { rate: 1, per: 'PT1M' })] });
const keyless = (): string => {
  throw new Error('no key');
};
const keyed = defineJob('keyed', { payload: anyPayload, limits: [defineLimit('keyed', { concurrency: 1 }, { key: keyless })] });

const lose = (rig: FaultyRig, id: string) => async () =>
  rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' } });
const isClaim: Aim = aimAtChangeOf('lockOwner', 'starts');

/** The slot of `one` is another's. */
async function taken(rig: FaultyRig): Promise<void> {
  await rig.client.enqueue(one, { held: true });
  const [message] = messagesOf(rig);
  if (message !== undefined) void rig.execute([message]);
  await rig.settle();
}

const messagesOf = (rig: FaultyRig) => rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));

/** Leaves one message to be received; `told` is what the journal then has of its job. */
type Scene = readonly [name: string, told: JournalEvent | undefined, prepare: (rig: FaultyRig) => Promise<unknown>, options?: RigOptions];

const SCENES: readonly Scene[] = [
  [
    'whose row cannot be read and was put aside',
    'quarantined',
    async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { failures: 'many' } });
    },
  ],
  ['without a handler, which waits for one', 'suspended', async (rig) => rig.client.enqueue(defineJob('new', { payload: anyPayload }), {})],
  [
    'without a handler, which was to be cancelled before it waited for one',
    'cancelled',
    async (rig) => {
      const { id } = await rig.client.enqueue(defineJob('new', { payload: anyPayload }), {});
      rig.faults.before(aimAt('put', 'suspended'), async () => rig.client.cancel(id));
    },
  ],
  [
    'that is suspended',
    'suspended',
    async (rig) => {
      await createAdminOver(rig.parts).suspend({ type: 'plain' }, { reason: 'r' });
      await rig.client.enqueue(plain, {});
    },
  ],
  [
    'that is suspended, and was to be cancelled before it was moved aside',
    'cancelled',
    async (rig) => {
      await createAdminOver(rig.parts).suspend({ type: 'plain' }, { reason: 'r' });
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAt('put', 'suspended'), async () => rig.client.cancel(id));
    },
  ],
  [
    'that is suspended, and another’s before it was moved aside',
    'lost-lease',
    async (rig) => {
      await createAdminOver(rig.parts).suspend({ type: 'plain' }, { reason: 'r' });
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAt('put', 'suspended'), lose(rig, id));
    },
  ],
  [
    'that was cancelled before its claim was repeated',
    'cancelled',
    async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      let claims = 0;
      rig.faults.next(isClaim, 'lost-for-good');
      rig.faults.before(
        (writes) => isClaim(writes) && ++claims === 2,
        async () => rig.client.cancel(id),
      );
    },
  ],
  [
    'whose executor died after a cancel was asked for',
    'cancelled',
    async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      await take(rig, id, SECOND, false);
      await rig.client.cancel(id);
      await rig.clock.advance(2 * SECOND);
    },
  ],
  [
    'of a cancelled batch',
    'cancelled',
    async (rig) => {
      const batch = await rig.client.enqueueBatch(plain, [{}]);
      await rig.client.cancelBatch(batch.id);
    },
  ],
  ['whose limit has no room', 'parked', async (rig) => (await taken(rig), rig.client.enqueue(one, {}))],
  [
    'whose limit has no room, and that is another’s before it was parked',
    'started',
    async (rig) => {
      await taken(rig);
      const { id } = await rig.client.enqueue(one, {});
      rig.faults.before(aimAt('put', 'timers'), lose(rig, id));
    },
  ],
  [
    'whose limit has no room, while the store does not say who waits for it',
    'store-failed',
    async (rig) => {
      await taken(rig);
      await rig.client.enqueue(one, {});
      let parked = false;
      rig.faults.before(aimAt('put', 'timers'), async () => (parked = true));
      rig.faults.unreadable((read) => parked && read.op === 'query' && read.table === 'control');
    },
  ],
  ['whose limit throws', 'retried', async (rig) => rig.client.enqueue(keyed, {})],
  [
    'that goes to the lane of another priority',
    'rerouted',
    async (rig) => {
      await createAdminOver(rig.parts).overridePriority({ type: 'plain' }, 15);
      await rig.clock.advance(1);
      await rig.client.enqueue(plain, {});
    },
    { workers: LANES },
  ],
  [
    'that goes to the lane of another priority, and was to be cancelled before it did',
    'cancelled',
    async (rig) => {
      await createAdminOver(rig.parts).overridePriority({ type: 'plain' }, 15);
      await rig.clock.advance(1);
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAtChangeOf('priority'), async () => rig.client.cancel(id));
    },
    { workers: LANES },
  ],
  [
    'that waits for the start that it booked',
    'given-back',
    async (rig) => {
      await rig.client.enqueue(rated, {});
      await rig.drain();
      await rig.client.enqueue(rated, {});
    },
  ],
  [
    'that goes to the queue of its group, which its message did not name',
    undefined,
    async (rig) => {
      const { id } = await rig.client.enqueue(plain, {}, { group: 'g' });
      messagesOf(rig);
      rig.hints.inject({ worker: 'default', lane: 'default', kind: 'standard' }, JSON.stringify({ v: 1, id, n: 1 }));
    },
  ],
];

describe('the message of a job is gone once that was dealt with: one', () => {
  it.each(SCENES)('%s', async (_, told, prepare, options = {}) => {
    const handler = ({ payload }: { payload: Record<string, unknown> }) =>
      payload['held'] === true ? new Promise<never>(() => {}) : undefined;
    const handlers: readonly HandledJob[] = [plain, one, rated, keyed].map((type) => type.handle(handler));
    const rig = faultyRig({ handlers, ...options });
    await prepare(rig);
    const messages = messagesOf(rig);
    expect(messages).toHaveLength(1);
    expect(await rig.execute(messages)).toEqual([]);
    expect(rig.faults.pending()).toBe(0);
    if (told !== undefined) expect(rig.journal.count(told)).toBe(1);
  });
});
