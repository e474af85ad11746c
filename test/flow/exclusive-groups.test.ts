import { beforeEach, describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, type Verdict } from '../../shared/job/job-type.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { complete } from '../../shared/job/verdict.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const queuesOf = (worker: string) => ({
  lanes: { default: `q/${worker}` },
  fifo: `q/${worker}.fifo`,
  deadLetterQueue: `q/${worker}-dlq`,
  fifoDeadLetterQueue: `q/${worker}-dlq.fifo`,
});
const WORKERS = { default: queuesOf('default'), other: queuesOf('other') };
const fifo = (worker = 'default'): QueueRef => ({ worker, lane: '', kind: 'fifo' });
const STANDARD: QueueRef = { worker: 'default', lane: 'default', kind: 'standard' };

const account = defineJob('account', { payload: anyPayload, group: ({ account: id }) => id as string | undefined });
/** A type of another worker, with jobs in the same groups. */
const report = defineJob('report', { payload: anyPayload, worker: 'other', group: ({ account: id }) => id as string | undefined });

/** A handler whose jobs run until they are let go; `ran` has them in the order in which they started. */
function held(options: RigOptions = {}) {
  const ran: string[] = [];
  const letGo = new Map<string, () => void>();
  let running = 0;
  let most = 0;
  const handlers = [account, report].map((type) =>
    type.handle(async ({ payload }) => {
      const name = String(payload['name']);
      ran.push(name);
      most = Math.max(most, ++running);
      if (payload['hold'] === true) await new Promise<void>((resolve) => letGo.set(name, resolve));
      running--;
    }),
  );
  const rig = new Rig({ workers: WORKERS, handlers, ...options });
  return { rig, ran, letGo: (name: string) => letGo.get(name)?.(), most: () => most };
}

const stored = async (rig: Rig, id: string) => decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});

describe('an exclusive group', () => {
  it('never runs two jobs at once, whatever their type and worker, and the one that waits pays nothing for it', async () => {
    const { rig, ran, letGo, most } = held();
    await rig.client.enqueue(account, { name: 'first', account: 'a', hold: true });
    const waiting = await rig.client.enqueue(report, { name: 'second', account: 'a' });
    const first = rig.execute(rig.hints.receive(fifo(), 10));
    await rig.settle();
    await rig.execute(rig.hints.receive(fifo('other'), 10));
    expect(ran).toEqual(['first']);
    expect(await stored(rig, waiting.id)).toMatchObject({ starts: 0, failures: 0, crashes: 0, snoozes: 0, dispatches: 1 });
    letGo('first');
    await first;
    await rig.clock.advance(10 * MINUTE);
    await rig.drain();
    expect(ran).toEqual(['first', 'second']);
    expect(most()).toBe(1);
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('that is held sends nothing and receives nothing until its lock ends', async () => {
    const { rig, letGo } = held();
    await rig.client.enqueue(account, { name: 'first', account: 'a', hold: true });
    await rig.client.enqueue(report, { name: 'second', account: 'a' });
    const first = rig.execute(rig.hints.receive(fifo(), 10));
    await rig.settle();
    let received = 0;
    for (let second = 0; second < 240; second++) {
      const messages = rig.hints.receive(fifo('other'), 10);
      received += messages.length;
      await rig.execute(messages);
      await rig.clock.advance(SECOND);
    }
    expect(received).toBe(1);
    letGo('first');
    await first;
  });

  it('keeps the order in which its jobs were enqueued', async () => {
    const { rig, ran } = held();
    for (let n = 0; n < 25; n++) await rig.client.enqueue(account, { name: String(n), account: 'a' });
    await rig.drain();
    expect(ran).toEqual(Array.from({ length: 25 }, (_, n) => String(n)));
  });

  it('blocks no other job for longer than one lease when its process dies', async () => {
    const { rig, ran } = held();
    await rig.client.enqueue(account, { name: 'dies', account: 'a', hold: true });
    // A dead process: for it no time passes, so it neither records nor gives anything back.
    const dying = { ...rig.deps, clock: { now: () => rig.clock.now(), wait: () => new Promise<void>(() => {}) } };
    void rig.execute(rig.hints.receive(fifo(), 10), dying);
    await rig.settle();
    const { executorTimeoutMs, leaseMarginMs } = rig.deployment.settings;
    await rig.client.enqueue(report, { name: 'next', account: 'a' });
    await rig.execute(rig.hints.receive(fifo('other'), 10));
    // Just before the lease ends nothing of the group runs; just after it the next job does.
    const lease = executorTimeoutMs + leaseMarginMs;
    await rig.clock.advance(lease - SECOND);
    expect(rig.hints.receive(fifo('other'), 10)).toEqual([]);
    expect(ran).toEqual(['dies']);
    await rig.clock.advance(2 * SECOND);
    await rig.execute(rig.hints.receive(fifo('other'), 10));
    expect(ran).toEqual(['dies', 'next']);
  });

  it('with a long queue keeps no other group waiting: the next executor gets the others', async () => {
    const { rig, ran, letGo } = held();
    await rig.client.enqueue(account, { name: 'busy 0', account: 'busy', hold: true });
    for (let n = 1; n < 40; n++) await rig.client.enqueue(account, { name: `busy ${n}`, account: 'busy' });
    for (let n = 0; n < 20; n++) await rig.client.enqueue(account, { name: `quiet ${n}`, account: `quiet ${n}` });
    const busy = rig.execute(rig.hints.receive(fifo(), 10));
    await rig.settle();
    await rig.drain();
    expect(ran.filter((name) => name.startsWith('quiet'))).toHaveLength(20);
    expect(ran.filter((name) => name.startsWith('busy'))).toEqual(['busy 0']);
    letGo('busy 0');
    await busy;
    await rig.drain();
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('of more than 256 characters is refused, with the limit', async () => {
    const { rig } = held();
    await expect(rig.client.enqueue(account, {}, { group: 'x'.repeat(257) })).rejects.toThrow(/^group: .*at most 256 characters/);
    await expect(rig.client.enqueue(account, { account: 'x'.repeat(257) })).rejects.toThrow(/^group: .*at most 256/);
    await rig.client.enqueue(account, {}, { group: 'x'.repeat(256) });
  });
});

describe('exclusive: false', () => {
  it('keeps the group as a label: the job takes no lock, no FIFO queue, and runs beside others of it', async () => {
    const { rig, ran, letGo, most } = held();
    await rig.client.enqueue(account, { name: 'holder', account: 'a', hold: true });
    const holder = rig.execute(rig.hints.receive(fifo(), 10));
    await rig.settle();
    const label = await rig.client.enqueue(account, { name: 'label', account: 'a' }, { exclusive: false });
    expect(await stored(rig, label.id)).toMatchObject({ group: 'a', exclusive: false });
    const [message] = rig.hints.receive(STANDARD, 10);
    expect(JSON.parse(message?.body ?? '{}')).not.toHaveProperty('g');
    await rig.execute(message === undefined ? [] : [message]);
    expect(ran).toEqual(['holder', 'label']);
    expect(most()).toBe(2);
    letGo('holder');
    await holder;
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('costs no write more than a job without a group', async () => {
    const { rig } = held({ history: 'off' });
    await rig.client.enqueue(account, { name: 'label', account: 'a' }, { exclusive: false });
    await rig.drain();
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
  });

  it('that is no flag is refused', async () => {
    const { rig } = held();
    await expect(rig.client.enqueue(account, {}, { exclusive: 'no' as never })).rejects.toThrow(/^exclusive: .*Use true or false/);
    await expect(rig.client.enqueue(account, {}, { inheritGroup: 1 as never })).rejects.toThrow(/^inheritGroup: /);
    expect(() => defineJob('a', { payload: anyPayload, inheritGroup: 'yes' as never })).toThrow(/^inheritGroup: /);
  });
});

describe('inheritGroup', () => {
  const parent = defineJob('parent', { payload: anyPayload, group: 'family' });
  const child = defineJob('child', { payload: anyPayload });
  const heir = defineJob('heir', { payload: anyPayload, inheritGroup: true });
  const owner = defineJob('owner', { payload: anyPayload, inheritGroup: true, group: 'own' });
  let groups: Record<string, string>;
  let work: (rig: Rig) => Promise<unknown>;

  beforeEach(() => void (groups = {}));

  async function family(options?: Parameters<Rig['client']['enqueue']>[2]): Promise<Rig> {
    const note = (job: { readonly group?: string }, payload: Record<string, unknown>): void =>
      void (groups[String(payload['name'])] = job.group ?? 'none');
    const rig: Rig = new Rig({
      workers: WORKERS,
      handlers: [
        parent.handle(async () => (await work(rig)) as Verdict | undefined),
        heir.handle(async ({ job, payload }) => {
          note(job, payload);
          if (payload['name'] === 'heir') await rig.client.enqueue(child, { name: 'grandchild' });
        }),
        ...[child, owner].map((type) => type.handle(({ job, payload }) => note(job, payload))),
      ],
    });
    await rig.client.enqueue(parent, {}, options);
    await rig.drain();
    expect((await rig.counts()).jobs).toBe(0);
    return rig;
  }

  it('is off by default: a follow-up has the group that its own type names, or none', async () => {
    work = async ({ client }) => void (await client.enqueue(child, { name: 'child' }));
    await family();
    expect(groups).toEqual({ child: 'none' });
  });

  it('puts a follow-up into the group of the job in whose handler it is enqueued, by option or by type', async () => {
    work = async ({ client }) => {
      await client.enqueue(child, { name: 'by option' }, { inheritGroup: true });
      await client.enqueueMany(heir, [{ name: 'by type' }]);
      await client.enqueue(heir, { name: 'not this one' }, { inheritGroup: false });
    };
    await family();
    expect(groups).toEqual({ 'by option': 'family', 'by type': 'family', 'not this one': 'none' });
  });

  it('is passed on: what an heir enqueues stays in the group', async () => {
    work = async ({ client }) => void (await client.enqueue(heir, { name: 'heir' }));
    await family();
    expect(groups).toEqual({ heir: 'family', grandchild: 'family' });
  });

  it('holds for the follow-ups of a completion', async () => {
    work = async () => complete({ enqueue: [followUp(heir, { name: 'heir' })] });
    await family();
    expect(groups).toEqual({ heir: 'family', grandchild: 'family' });
  });

  it('gives way to a group that is named, and an option goes before the type', async () => {
    work = async ({ client }) => {
      await client.enqueue(owner, { name: 'type names one' });
      await client.enqueue(owner, { name: 'option asks' }, { inheritGroup: true });
      await client.enqueue(heir, { name: 'option names one' }, { group: 'named' });
    };
    await family();
    expect(groups).toEqual({ 'type names one': 'own', 'option asks': 'family', 'option names one': 'named' });
  });

  it('inherits a label as a label', async () => {
    let inherited = '';
    work = async (rig) => {
      inherited = (await rig.client.enqueue(child, { name: 'child' }, { inheritGroup: true })).id;
      expect(await stored(rig, inherited)).toMatchObject({ group: 'family', exclusive: false });
    };
    await family({ exclusive: false });
    expect(groups).toEqual({ child: 'family' });
  });

  it('means nothing outside of a handler', async () => {
    const rig = new Rig({ workers: WORKERS });
    const { id } = await rig.client.enqueue(child, {}, { inheritGroup: true });
    expect((await stored(rig, id)).group).toBeUndefined();
  });
});

describe('blockedGroups', () => {
  it('tells who holds what, since when, until when, and how many wait', async () => {
    const { rig, letGo } = held();
    const admin = createAdminOver(rig.deps);
    const start = rig.clock.now();
    const holder = await rig.client.enqueue(account, { name: 'holder', account: 'a', hold: true });
    const executing = rig.execute(rig.hints.receive(fifo(), 10));
    await rig.settle();
    expect(await admin.blockedGroups()).toMatchObject({ groups: [], complete: true });
    for (let n = 0; n < 3; n++) await rig.client.enqueue(account, { name: `waits ${n}`, account: 'a' });
    await rig.client.enqueue(account, { name: 'not due', account: 'a' }, { delay: MINUTE });
    await rig.client.enqueue(account, { name: 'label', account: 'a' }, { exclusive: false });
    await rig.client.enqueue(account, { name: 'free', account: 'b' });
    await rig.clock.advance(SECOND);
    const { executorTimeoutMs, leaseMarginMs } = rig.deployment.settings;
    expect(await admin.blockedGroups()).toEqual({
      groups: [
        {
          group: 'a',
          since: new Date(start),
          until: new Date(start + executorTimeoutMs + leaseMarginMs),
          heldBy: { id: holder.id, type: 'account', worker: 'default', attempt: 1 },
          waiting: 3,
          oldestDueAt: new Date(start),
        },
      ],
      complete: true,
      readUnits: expect.any(Number) as number,
    });
    letGo('holder');
    await executing;
    expect((await admin.blockedGroups()).groups).toEqual([]);
  });

  it('says when it stopped before the end of the table', async () => {
    const { rig } = held();
    await rig.client.enqueueMany(
      account,
      Array.from({ length: 1_100 }, () => ({ account: 'a' })),
    );
    expect(await createAdminOver(rig.deps).blockedGroups({ maxReadUnits: 1 })).toMatchObject({ complete: false });
    for (const maxReadUnits of [0, Number.NaN]) {
      await expect(createAdminOver(rig.deps).blockedGroups({ maxReadUnits })).rejects.toThrow(/^maxReadUnits: /);
    }
  });
});
