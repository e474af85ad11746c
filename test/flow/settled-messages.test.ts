import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, type HandledJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
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
interface Scene {
  readonly name: string;
  readonly told: JournalEvent | undefined;
  readonly prepare: (rig: FaultyRig) => Promise<unknown>;
  readonly options?: RigOptions;
}

const SCENES: readonly Scene[] = [
  {
    name: 'whose row cannot be read and was put aside',
    told: 'quarantined',
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { failures: 'many' } });
    },
  },
  {
    name: 'without a handler, which waits for one',
    told: 'suspended',
    prepare: async (rig) => rig.client.enqueue(defineJob('new', { payload: anyPayload }), {}),
  },
  {
    name: 'without a handler, which was to be cancelled before it waited for one',
    told: 'cancelled',
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(defineJob('new', { payload: anyPayload }), {});
      rig.faults.before(aimAt('put', 'suspended'), async () => rig.client.cancel(id));
    },
  },
  {
    name: 'that is suspended',
    told: 'suspended',
    prepare: async (rig) => {
      await createAdminOver(rig.deps).suspend({ type: 'plain' }, { reason: 'r' });
      await rig.client.enqueue(plain, {});
    },
  },
  {
    name: 'that is suspended, and was to be cancelled before it was moved aside',
    told: 'cancelled',
    prepare: async (rig) => {
      await createAdminOver(rig.deps).suspend({ type: 'plain' }, { reason: 'r' });
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAt('put', 'suspended'), async () => rig.client.cancel(id));
    },
  },
  {
    name: 'that is suspended, and another’s before it was moved aside',
    told: 'lost-lease',
    prepare: async (rig) => {
      await createAdminOver(rig.deps).suspend({ type: 'plain' }, { reason: 'r' });
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAt('put', 'suspended'), lose(rig, id));
    },
  },
  {
    name: 'that was cancelled before its claim was repeated',
    told: 'cancelled',
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      let claims = 0;
      rig.faults.next(isClaim, 'lost-for-good');
      rig.faults.before(
        (writes) => isClaim(writes) && ++claims === 2,
        async () => rig.client.cancel(id),
      );
    },
  },
  {
    name: 'whose executor died after a cancel was asked for',
    told: 'cancelled',
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(plain, {});
      await take(rig, id, SECOND, false);
      await rig.client.cancel(id);
      await rig.clock.advance(2 * SECOND);
    },
  },
  {
    name: 'of a cancelled batch',
    told: 'cancelled',
    prepare: async (rig) => {
      const batch = await rig.client.enqueueBatch(plain, [{}]);
      await rig.client.cancelBatch(batch.id);
    },
  },
  { name: 'whose limit has no room', told: 'parked', prepare: async (rig) => (await taken(rig), rig.client.enqueue(one, {})) },
  {
    name: 'whose limit has no room, and that is another’s before it was parked',
    told: 'started',
    prepare: async (rig) => {
      await taken(rig);
      const { id } = await rig.client.enqueue(one, {});
      rig.faults.before(aimAt('put', 'timers'), lose(rig, id));
    },
  },
  {
    name: 'whose limit has no room, while the store does not say who waits for it',
    told: 'store-failed',
    prepare: async (rig) => {
      await taken(rig);
      await rig.client.enqueue(one, {});
      let parked = false;
      rig.faults.before(aimAt('put', 'timers'), async () => (parked = true));
      rig.faults.unreadable((read) => parked && read.op === 'query' && read.table === 'control');
    },
  },
  { name: 'whose limit throws', told: 'retried', prepare: async (rig) => rig.client.enqueue(keyed, {}) },
  {
    name: 'that goes to the lane of another priority',
    told: 'rerouted',
    prepare: async (rig) => {
      await createAdminOver(rig.deps).overridePriority({ type: 'plain' }, 15);
      await rig.clock.advance(1);
      await rig.client.enqueue(plain, {});
    },
    options: { workers: LANES },
  },
  {
    name: 'that goes to the lane of another priority, and was to be cancelled before it did',
    told: 'cancelled',
    prepare: async (rig) => {
      await createAdminOver(rig.deps).overridePriority({ type: 'plain' }, 15);
      await rig.clock.advance(1);
      const { id } = await rig.client.enqueue(plain, {});
      rig.faults.before(aimAtChangeOf('priority'), async () => rig.client.cancel(id));
    },
    options: { workers: LANES },
  },
  {
    name: 'that waits for the start that it booked',
    told: 'given-back',
    prepare: async (rig) => {
      await rig.client.enqueue(rated, {});
      await rig.drain();
      await rig.client.enqueue(rated, {});
    },
  },
  {
    name: 'that goes to the queue of its group, which its message did not name',
    told: undefined,
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(plain, {}, { group: 'g' });
      messagesOf(rig);
      rig.hints.inject({ worker: 'default', lane: 'default', kind: 'standard' }, JSON.stringify({ v: 1, id, n: 1 }));
    },
  },
];

describe('the message of a job is gone once that was dealt with: one', () => {
  it.each(SCENES)('$name', async ({ told, prepare, options = {} }) => {
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
