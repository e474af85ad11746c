import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { aimAt, createFaults, type Fault } from '../../testing/index.ts';
import { type FaultySqs, faultyDynamo, faultySqs } from '../support/faulty-clients.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { deliverFromSqs, sendToSqs, whileTimePasses } from '../support/sdk-queue.ts';
import { recordFigures } from '../support/figures.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

interface Walk {
  readonly rig: Rig;
  readonly sqs: FaultySqs;
  readonly runs: ReadonlyMap<string, number>;
}

/** Client, executor and sweeper over Dynoxide and fauxqs, one set of faults under both SDK clients. */
async function walk(seed: number): Promise<Walk> {
  const clock = new SettableClock();
  const faults = createFaults({ seed });
  const { tables } = await faultyDynamo({ now: () => clock.now(), wait: async () => undefined }, faults);
  const sqs = await faultySqs(clock, faults);
  const runs = new Map<string, number>();
  const handlers = [work.handle(({ job }) => void runs.set(job.id, (runs.get(job.id) ?? 0) + 1))];
  const rig = new Rig({ clock, tables, handlers, seed });
  sendToSqs(rig, sqs);
  return { rig, sqs, runs };
}

/** Delivers, lets time pass and sweeps, until no job is left. */
async function drain({ rig, sqs }: Walk): Promise<void> {
  for (let round = 0; round < 40; round++) {
    while ((await deliverFromSqs(rig, sqs).catch(() => 1)) > 0);
    if (round > 2) sqs.faults.stop();
    const rows = await rig.rows('jobs').catch(() => [{}]);
    if (rows.length === 0) return;
    await rig.clock.advance(7 * MINUTE);
    await whileTimePasses(rig, rig.sweep()).catch(() => undefined);
  }
  throw new Error('jobs were left');
}

describe('messages of SQS', () => {
  it.each<[string, string, Fault]>([
    ['are sent twice', 'SendMessageBatch', 'sent-twice'],
    ['are received twice', 'ReceiveMessage', 'received-twice'],
    ['come in another order', 'ReceiveMessage', 'reordered'],
    ['are received and the reply is lost', 'ReceiveMessage', 'lost-reply'],
    ['are not deleted', 'DeleteMessageBatch', { fault: 'partial', entries: () => true }],
  ])('that %s run their jobs once', async (_title, operation, fault) => {
    const all = await walk(1);
    all.sqs.faults.next(aimAt(operation), fault);
    await all.rig.client.enqueueMany(work, [{}, {}, {}]);
    await drain(all);
    expect(all.sqs.faults.pending()).toBe(0);
    expect([...all.runs.values()]).toEqual([1, 1, 1]);
    expect(all.rig.journal.count('completed')).toBe(3);
  });
});

const FAULTS: readonly (readonly [Fault, number])[] = [
  ['lost-reply', 0.06],
  ['lost-for-good', 0.03],
  ['unavailable', 0.03],
  ['reset', 0.04],
  [{ fault: 'server-error', applied: true }, 0.04],
  ['conflict', 0.05],
  ['signature-expired', 0.03],
  ['sent-twice', 0.2],
  ['partial', 0.2],
  ['received-twice', 0.2],
  ['reordered', 0.3],
];

it('with every fault at once, no job is lost and none completes twice', async () => {
  const [SEEDS, JOBS] = [[1, 2], 40];
  const payloads = Array.from({ length: JOBS }, (_, n) => ({ n }));
  let completed = 0;
  const met: Record<string, number> = {};
  for (const seed of SEEDS) {
    const all = await walk(seed);
    for (const [fault, share] of FAULTS) all.sqs.faults.rate(fault, share);
    // The SDK waits up to a second after each, so there are few.
    all.sqs.faults.next(aimAt('UpdateItem'), 'throttle');
    const enqueued = await whileTimePasses(all.rig, all.rig.client.enqueueMany(work, payloads));
    await drain(all);
    all.sqs.faults.stop();
    for (const id of enqueued.ids) if (id !== undefined) expect(all.runs.get(id), `job ${id} of seed ${seed}`).toBeGreaterThanOrEqual(1);
    const completions = all.rig.journal.entries.filter(({ event }) => event === 'completed').map(({ job }) => job?.id);
    expect(completions).toHaveLength(new Set(completions).size);
    expect(await all.rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0, suspended: 0 });
    completed += completions.length;
    for (const [name, count] of Object.entries(all.sqs.faults.counts())) met[name] = (met[name] ?? 0) + count;
  }
  const known = FAULTS.map(([fault]) => (typeof fault === 'string' ? fault : fault.fault));
  expect(Object.keys(met).toSorted()).toEqual(['throttle', ...known].toSorted());
  recordFigures('fault-kit', {
    seeds: SEEDS.length,
    jobs: SEEDS.length * JOBS,
    completed,
    faults: Object.values(met).reduce((sum, count) => sum + count, 0),
  });
});
