import { describe, expect, it } from 'vitest';
import { acquireUnlessOff } from '../../functions/acquirer/acquire-unless-off.ts';
import { executeMessages } from '../../functions/executor/execute-messages.ts';
import { ignoreWhileOff } from '../../functions/executor/receive.ts';
import { sweepUnlessOff } from '../../functions/sweeper/sweep-unless-off.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const plain = defineJob('plain', { payload: anyPayload });
const grouped = defineJob('grouped', { payload: anyPayload, group: 'customer' });
const told = { actor: 'anna', reason: 'the relay is down' };
const ALL = { acquirer: 0, of: 1 };

/** A deployment whose event sources and ticks are on, whatever an operator has said. */
function open() {
  const ran: string[] = [];
  const handlers = [plain, grouped].map((type) => type.handle(({ job }) => void ran.push(job.id)));
  const rig = new Rig({ handlers });
  const admin = createAdminOver(rig.deps);
  const invocation = () => ({ requestId: 'tick', deadlineAt: rig.clock.now() + MINUTE });
  return {
    rig,
    admin,
    ran,
    /** One round of all event sources. Returns the messages that stay. */
    deliver: async (): Promise<readonly string[]> => {
      const back: string[] = [];
      for (const queue of rig.queues) {
        const messages = rig.hints.receive(queue, 10);
        const kept = (await ignoreWhileOff(rig.deps, messages)) ?? (await executeMessages(rig.deps, messages, rig.invocation()));
        back.push(...kept);
        await rig.hints.discard(messages.filter(({ messageId }) => !kept.includes(messageId)));
      }
      return back;
    },
    acquire: (before?: () => Promise<void>) => acquireUnlessOff(rig.deps, ALL, invocation(), before),
    sweep: () => sweepUnlessOff({ ...rig.deps, backlog: rig.hints }, invocation()),
  };
}

describe('a deployment that an operator has switched off', () => {
  it('starts no job, fires no timer and sweeps nothing, although its event sources and ticks are on', async () => {
    const { rig, admin, ran, deliver, acquire, sweep } = open();
    await rig.client.enqueue(plain, {});
    await rig.client.enqueue(grouped, {});
    await rig.client.enqueue(plain, {}, { delay: 'PT1H' });
    const before = [await rig.rows('jobs'), await rig.rows('timers')];
    await admin.switchDeployment('deactivate', told);
    expect(await deliver()).toEqual([]);
    await rig.clock.advance(2 * 60 * MINUTE);
    let synchronised = 0;
    expect(await acquire(async () => void synchronised++)).toEqual({ fired: 0, unfinished: 0, failed: 0, lagMs: 0, released: 0 });
    expect(await sweep()).toEqual({ counts: {}, readUnits: 0, resumed: 0, passedSegments: 0 });
    expect([await rig.rows('jobs'), await rig.rows('timers'), ran, synchronised]).toEqual([...before, [], 0]);
    expect(await admin.heartbeats()).toEqual([]);
    expect(rig.journal.entries.filter(({ event }) => event === 'ignored-while-off')).toMatchObject([
      { count: 1, worker: 'default' },
      { count: 1, worker: 'default' },
    ]);
  });

  it('runs every job once when it is switched on again: the sweeper sends those whose messages were dropped', async () => {
    const { rig, admin, ran, deliver, acquire, sweep } = open();
    const { id } = await rig.client.enqueue(plain, {});
    const { id: second } = await rig.client.enqueue(grouped, {});
    const { id: timer } = await rig.client.enqueue(plain, {}, { delay: 'PT20M' });
    await admin.switchDeployment('deactivate', told);
    await deliver();
    await admin.switchDeployment('activate', told);
    await rig.clock.advance(20 * MINUTE);
    let synchronised = 0;
    await sweep();
    await acquire(async () => void synchronised++);
    for (let round = 0; round < 3; round++) await deliver();
    expect(ran.toSorted()).toEqual([id, second, timer].toSorted());
    expect(synchronised).toBe(1);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
    expect((await admin.heartbeats()).map(({ who }) => who)).toEqual(['acquirer/0', 'sweeper']);
  });

  it('keeps messages that are no hints: an executor copies them to the dead-letter queue later', async () => {
    const { rig, admin, deliver } = open();
    await admin.switchDeployment('deactivate', told);
    const [queue] = rig.queues;
    if (queue !== undefined) rig.hints.inject(queue, 'no hint');
    expect(await deliver()).toHaveLength(1);
    expect(rig.hints.deadLetters()).toEqual([]);
  });

  it('says who switched it off, when and why, and the audit says both', async () => {
    const { rig, admin } = open();
    expect(await admin.deploymentOff()).toBeUndefined();
    await admin.switchDeployment('deactivate', told);
    expect(await admin.deploymentOff()).toEqual({ ...told, at: new Date(rig.clock.now()) });
    await rig.clock.advance(1_000);
    await admin.switchDeployment('deactivate', { actor: 'ben' });
    expect(await admin.deploymentOff()).toEqual({ actor: 'ben', at: new Date(rig.clock.now()) });
    await admin.switchDeployment('activate', { actor: 'anna', detail: 'one of two switches failed' });
    expect(await admin.deploymentOff()).toBeUndefined();
    const audit = await admin.audit({ day: new Date(rig.clock.now()).toISOString().slice(0, 10) });
    const entries = audit.map(({ verb, detail = '' }) => `${verb} ${detail}`);
    expect(entries.toSorted()).toEqual([
      'deployment.activate one of two switches failed',
      'deployment.deactivate ',
      'deployment.deactivate ',
    ]);
    expect(await admin.suspensions()).toEqual([]);
  });

  it('stays off where the mark is damaged', async () => {
    const { rig, admin, ran, deliver } = open();
    await rig.client.enqueue(plain, {});
    await rig.tables.write({ op: 'put', table: 'control', row: { pk: 'rules', sk: 'switched-off' } });
    await deliver();
    expect(ran).toEqual([]);
    expect(await admin.deploymentOff()).toEqual({ actor: '', at: new Date(0) });
  });
});
