import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { groupHash } from '../../shared/job/hint.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail, snooze } from '../../shared/job/verdict.ts';
import { groupLockKey } from '../../shared/store/control-rows.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { idKey } from '../../shared/store/rows.ts';
import { idOf } from '../support/job-rows.ts';
import { explainStage, work } from '../support/explain-stage.ts';
import { anyPayload } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const grouped = defineJob('grouped', { payload: anyPayload, group: () => 'account/7' });

describe('explain, of a job whose time has not come', () => {
  it('says who makes a timer ready and when at the latest, and it is so', async () => {
    const { rig, admin, pass } = await explainStage();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    const dueAt = rig.clock.now() + HOUR;
    const told = await admin.explain(id);
    expect(told).toMatchObject({
      state: 'waiting',
      code: 'due-later',
      next: { verb: 'fire', by: 'acquirer', at: new Date(dueAt - 3 * MINUTE) },
    });
    expect(told?.text).toContain(`It is not due before ${new Date(dueAt).toISOString()}.`);
    expect(told?.verbs[0]).toBe('runNow');
    await pass((told?.next.at?.getTime() ?? 0) - rig.clock.now());
    await rig.fire();
    const fired = await admin.explain(id);
    expect(fired).toMatchObject({ state: 'ready', code: 'due-later', next: { verb: 'claim', by: 'executor', at: new Date(dueAt) } });
    expect(fired?.text).toContain('Its message is on its way');
    await rig.clock.advance(dueAt - rig.clock.now());
    await rig.drain();
    expect(await admin.explain(id)).toMatchObject({ state: 'finished', code: 'finished', next: { by: 'nobody' }, verbs: [] });
  });

  it('says that the acquirer is late once a timer should have fired, and warns before', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.clock.advance(30 * MINUTE);
    const early = await admin.explain(id);
    expect(early).toMatchObject({ code: 'due-later', next: { by: 'acquirer' } });
    expect(early?.next.at).toBeUndefined();
    expect(early?.text).toContain('Look at the alarm acquirer-heartbeat');
    await rig.clock.advance(25 * MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'acquirer-late', next: { verb: 'fire', by: 'acquirer' } });
  });

  it('tells a retry from a start, soon and late', async () => {
    const { rig, admin } = await explainStage(() => {
      throw new TypeError('no such invoice');
    });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const late = await admin.explain(id);
    expect(late).toMatchObject({ state: 'waiting', code: 'retry-later', facts: { failures: 1 } });
    expect(late?.text).toContain('TypeError: no such invoice. It is tried again at');
    const soon = await rig.client.enqueue(work, {}, { retry: 'R3/PT1M' });
    await rig.drain();
    expect(await admin.explain(soon.id)).toMatchObject({
      state: 'ready',
      code: 'retry-later',
      next: { by: 'executor', at: new Date(rig.clock.now() + MINUTE) },
    });
  });

  it('says that its handler snoozed it', async () => {
    const { rig, admin } = await explainStage(() => snooze('PT2H'));
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    expect((await admin.explain(id))?.text).toContain('Its handler snoozed it');
  });

  it('names the suspension that it will meet, whether it waits in Timers or for its message', async () => {
    const { rig, admin } = await explainStage();
    const at = rig.clock.now();
    await admin.suspend({ type: 'work' }, { reason: 'the bank is down', from: new Date(at + 5 * MINUTE), until: new Date(at + 2 * HOUR) });
    const delays = [HOUR, 10 * MINUTE, MINUTE, 3 * HOUR];
    const jobs = await Promise.all(delays.map(async (delay) => rig.client.enqueue(work, {}, { delay })));
    const told = await Promise.all(jobs.map(async ({ id }) => admin.explain(id)));
    expect(told.map((one) => one?.code)).toEqual(['held-by-suspension', 'held-by-suspension', 'due-later', 'due-later']);
    expect(told.map((one) => one?.next.verb)).toEqual(['fire', 'suspend', 'claim', 'fire']);
    expect(told[0]?.text).toContain('by operator (the bank is down)');
    expect(told[0]?.verbs[0]).toBe('resume');
  });
});

describe('explain, of a job in its queue', () => {
  it('says that an executor takes it, and when the sweeper would send its message again', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'ready', code: 'in-queue', next: { verb: 'claim', by: 'executor' }, facts: { backlog: 1 } });
    expect(told?.text).toContain(`if none has by ${new Date(rig.clock.now() + 6 * MINUTE).toISOString()}`);
  });

  it('finds its message lost, says when the sweeper sends another, and it is so', async () => {
    const { rig, admin, pass } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    for (const message of rig.hints.receive(STANDARD, 10)) rig.hints.acknowledge(message);
    await pass(6 * MINUTE + 2 * SECOND);
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'hint-lost', next: { verb: 'reset', by: 'sweeper', at: new Date(rig.clock.now() + 2 * MINUTE) } });
    expect((await rig.sweep()).counts.reset).toBe(1);
    const again = await admin.explain(id);
    expect(again).toMatchObject({ code: 'in-queue' });
    expect(again?.text).toContain('Its message was sent again once already.');
    await rig.clock.advance(HOUR);
    for (const message of rig.hints.receive(STANDARD, 10)) rig.hints.acknowledge(message);
    const late = await admin.explain(id);
    expect(late).toMatchObject({ code: 'sweeper-late', next: { verb: 'reset', by: 'sweeper' } });
    expect(late?.text).toContain('alarm sweeper-heartbeat');
    expect(late?.next.at).toBeUndefined();
  });

  it('blames a backlog as long as the sweeper does', async () => {
    const { rig, admin, pass } = await explainStage();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push((await rig.client.enqueue(work, {})).id);
    const id = ids.at(-1) ?? '';
    expect(await admin.explain(id)).toMatchObject({ code: 'behind-a-backlog', facts: { backlog: 12 } });
    await pass(7 * MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'behind-a-backlog' });
    expect((await rig.sweep()).counts.explained).toBe(12);
    await pass(61 * MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'behind-a-backlog' });
    expect((await rig.sweep()).counts.explained).toBe(12);
    await pass(24 * HOUR);
    expect(await admin.explain(id)).toMatchObject({ code: 'hint-lost' });
    expect(await createAdminOver(rig.deps).explain(id)).toMatchObject({ code: 'hint-lost' });
    expect((await rig.sweep()).counts.reset).toBe(12);
  });

  it('names the group that it waits for, who holds it and until when', async () => {
    const { rig, admin } = await explainStage(undefined, { handlers: [grouped.handle(() => undefined)] });
    const until = rig.clock.now() + MINUTE;
    await takeLock(rig.tables, groupLockKey(groupHash('account/7')), 'run/somebody', { now: rig.clock.now(), expiresAt: until });
    const { id } = await rig.client.enqueue(grouped, {});
    const label = await rig.client.enqueue(grouped, {}, { exclusive: false });
    await rig.drain();
    const facts = { group: 'account/7', groupOwner: 'run/somebody', groupUntil: new Date(until).toISOString() };
    expect(await admin.explain(id)).toMatchObject({ state: 'ready', code: 'behind-its-group', facts });
    expect(await admin.explain(label.id)).toMatchObject({ code: 'finished' });
    await rig.clock.advance(MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'in-queue' });
  });

  it('names the suspension that it meets, and does not where an operator exempted it', async () => {
    const { rig, admin } = await explainStage();
    await admin.suspend({ type: 'work', worker: 'default' }, { reason: 'broken' });
    const { id } = await rig.client.enqueue(work, {});
    expect(await admin.explain(id)).toMatchObject({
      state: 'ready',
      code: 'held-by-suspension',
      next: { verb: 'suspend', by: 'executor' },
    });
    await admin.runNow(id);
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'in-queue' });
    expect(told?.text).toContain('An operator exempted it from suspensions.');
  });

  it('says that its batch was cancelled', async () => {
    const { rig, admin } = await explainStage();
    const batch = await rig.client.enqueueBatch(work, [{}, {}]);
    await admin.cancelBatch(batch.id);
    const [row] = await rig.rows('jobs');
    expect(await admin.explain(String(row?.['id']))).toMatchObject({ code: 'stopped-by-batch', next: { verb: 'cancel', by: 'executor' } });
  });

  it('says that its worker is gone', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    const later = await rig.client.enqueue(work, {}, { delay: HOUR });
    const moved = createAdminOver({ ...rig.deps, deployment: { ...rig.deployment, workers: new Map() } });
    expect(await moved.explain(id)).toMatchObject({ code: 'worker-gone', next: { by: 'operator' }, verbs: ['move', 'cancel'] });
    expect(await moved.explain(later.id)).toMatchObject({ code: 'worker-gone' });
    expect(await admin.explain(id)).toMatchObject({ code: 'in-queue' });
  });
});

describe('explain, of a job that runs', () => {
  it('says under which lease, and whether that may be renewed', async () => {
    const letGo: (() => void)[] = [];
    const { rig, admin } = await explainStage(async () => new Promise<void>((resolve) => letGo.push(resolve)), { version: '1' });
    const { id } = await rig.client.enqueue(work, {});
    const running = rig.deliver();
    await rig.settle();
    const [row] = await rig.rows('jobs');
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'running', code: 'running', next: { verb: 'complete', by: 'executor' } });
    expect(told?.facts).toMatchObject({ attempt: 1, lockOwner: row?.['lockOwner'], lockExpiresAt: row?.['lockExpiresAt'] });
    expect(told?.text).toContain('outside Lambda it renews that');
    await rig.deps.reporter?.report(rig.deps);
    const known = await admin.explain(id);
    expect(known?.next.at).toEqual(new Date(String(row?.['lockExpiresAt'])));
    expect(known?.text).toContain('its function ends before that');
    letGo.forEach((end) => end());
    await running;
  });

  it('says that a cancel was asked for, and who ends it when its process died', async () => {
    const { rig, admin, pass } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    const lockExpiresAt = new Date(rig.clock.now() + MINUTE).toISOString();
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { lockOwner: 'run/x', lockExpiresAt } });
    expect(await rig.client.cancel(id, { reason: 'too late' })).toBe('cancel-requested');
    const asked = await admin.explain(id);
    expect(asked).toMatchObject({ code: 'running-cancel-requested', next: { verb: 'cancel', by: 'executor' }, verbs: [] });
    expect(asked?.text).toContain('A cancel was asked for (too late)');
    await pass(MINUTE + 2 * SECOND);
    const dead = await admin.explain(id);
    expect(dead).toMatchObject({
      code: 'lease-ran-out',
      next: { verb: 'cancel', by: 'sweeper', at: new Date(rig.clock.now() + 2 * MINUTE) },
    });
    await rig.clock.advance(10 * MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'sweeper-late' });
    expect((await rig.sweep()).counts.cancelled).toBe(1);
    expect(await admin.explain(id)).toMatchObject({ state: 'finished', facts: { outcome: 'cancelled' } });
  });

  it('counts a crash only where it ran alone', async () => {
    const { rig, admin, pass } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    const key = idKey(id);
    const set = { lockOwner: 'run/dead', crashes: 2 };
    await rig.tables.write({ op: 'update', table: 'jobs', key, set });
    await pass(10 * MINUTE);
    expect(await admin.explain(id)).toMatchObject({ code: 'lease-ran-out', next: { verb: 'reset' } });
    await rig.tables.write({ op: 'update', table: 'jobs', key, set: { lockOwner: 'alone/dead' } });
    const told = await admin.explain(id);
    expect(told).toMatchObject({ next: { verb: 'bury', by: 'sweeper' } });
    expect(told?.text).toContain('its crash 3 of 3');
    expect((await rig.sweep()).counts.buried).toBe(1);
    expect((await admin.explain(id))?.text).toContain('it killed the process that ran it, 3 times');
  });
});

describe('explain, of a job that ended or is not there', () => {
  it('says why a dead letter died and what an operator can do', async () => {
    const { rig, admin } = await explainStage(() => fail('no such invoice'));
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'dead', code: 'dead', next: { verb: 'redrive', by: 'operator' }, facts: { reason: 'failed' } });
    expect(told?.text).toContain('no such invoice');
    expect(told?.verbs).toEqual(['redrive', 'editPayload', 'setRetries', 'setDueDate', 'delete']);
  });

  it('knows nothing of a job that is nowhere, and refuses what is no id', async () => {
    const { admin } = await explainStage();
    expect(await admin.explain(idOf(9))).toBeUndefined();
    await expect(admin.explain('nonsense')).rejects.toThrow('lower-case UUIDv7');
  });

  it('tells a tenant only of its own', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    expect(await admin.forTenant('acme').explain(id)).toMatchObject({ id, code: 'in-queue' });
    expect(await admin.forTenant('umbrella').explain(id)).toBeUndefined();
  });

  it('says of a row that cannot be read who sets it aside', async () => {
    const { rig, admin } = await explainStage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { dueAt: 'soon' } });
    const told = await admin.explain(id);
    expect(told).toMatchObject({ state: 'ready', code: 'unreadable', next: { verb: 'bury', by: 'sweeper' }, facts: { table: 'jobs' } });
    expect(told?.text).toContain('dueAt');
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { lockOwner: 'run/somebody' } });
    expect(await admin.explain(id)).toMatchObject({ state: 'running', code: 'unreadable' });
  });
});
