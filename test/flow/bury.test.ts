import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { readSchedule } from '../../shared/features/schedules/store/schedules.ts';
import { idKey } from '../../shared/store/rows.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';
import { schedule, scheduled } from '../support/scheduled-rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H' });
const told = { actor: 'anna', reason: 'the bank is closed' };

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly ran: unknown[];
}

function stage(options: RigOptions = {}): Stage {
  const ran: unknown[] = [];
  const handler = work.handle(({ payload, job }) => {
    ran.push(payload['n']);
    if (payload['fail'] === true && job.attempt === 1) throw new TypeError('no answer');
  });
  const rig = new Rig({ handlers: [handler], ...options });
  return { rig, admin: createAdminOver(rig.deps), ran };
}

describe('a job that an operator buries', () => {
  it('is a dead letter with the reason as its error, and does not run', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    expect(await admin.bury(id, told)).toBe('buried');
    await rig.drain();
    expect(ran).toEqual([]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, suspended: 0, deadLetters: 1 });
    expect(await admin.find(id)).toMatchObject({
      state: 'dead',
      reason: 'buried',
      error: { name: 'BuriedByOperator', message: 'the bank is closed' },
      attempts: 0,
    });
    expect((await admin.explain(id))?.text).toMatch(/an operator buried it\./);
  });

  it('is journalled as dead-lettered, and leaves an entry in the audit', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await admin.bury(id, told);
    expect(rig.journal.entries.filter(({ event }) => event === 'dead-lettered')).toMatchObject([
      { worker: 'default', job: { id }, reason: 'buried', error: { name: 'BuriedByOperator' } },
    ]);
    expect(await admin.audit()).toMatchObject([{ verb: 'bury', jobId: id, tenant: 'acme', ...told }]);
  });

  it('keeps the error of its last attempt below the reason, and lies in the group of the reason all the same', async () => {
    const { rig, admin } = stage();
    const failed = await rig.client.enqueue(work, { fail: true });
    await rig.drain();
    const fresh = await rig.client.enqueue(work, {});
    for (const { id } of [failed, fresh]) expect(await admin.bury(id, told)).toBe('buried');
    const [one, other] = await Promise.all([failed, fresh].map(async ({ id }) => rig.tables.get('deadLetters', idKey(id))));
    expect(one?.['errorStack']).toMatch(/^Caused by: TypeError: no answer/);
    expect(other?.['errorStack']).toBeUndefined();
    expect(one?.['fingerprint']).toBe(other?.['fingerprint']);
    const { groups } = await admin.errorGroups({});
    expect(groups).toMatchObject([{ open: 2, errorName: 'BuriedByOperator', message: 'the bank is closed' }]);
  });

  it('comes back with fresh counters, and its error group is closed', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1, fail: true });
    await rig.drain();
    await admin.bury(id, told);
    expect(await admin.redrive(id)).toBe('redriven');
    await rig.clock.advance(2 * MINUTE);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0, attempts: 0 });
    expect((await admin.errorGroups({})).groups).toEqual([]);
    await rig.drain();
    expect(ran).toEqual([1, 1]);
  });

  it('frees its unique key, and takes it again or is refused', async () => {
    const { rig, admin } = stage();
    const first = await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT5H' });
    await admin.bury(first.id, told);
    const second = await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT5H' });
    expect(second).toMatchObject({ duplicate: false });
    expect(await admin.redrive(first.id)).toBe('key-taken');
    await admin.bury(second.id, told);
    expect(await admin.redrive(first.id)).toBe('redriven');
  });

  it('counts as failed in its batch until it is redriven', async () => {
    const { rig, admin } = stage();
    const { id, ids } = await rig.client.enqueueBatch(work, [{}, {}]);
    await admin.bury(ids[0] ?? '', told);
    expect(await rig.client.batch(id)).toMatchObject({ failed: 1, succeeded: 0, cancelled: 0 });
    await admin.redrive(ids[0] ?? '');
    expect(await rig.client.batch(id)).toMatchObject({ failed: 0 });
  });

  it('is left alone while it runs, and once it is dead or finished', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await take(rig, id);
    expect(await admin.bury(id, told)).toBe('running');
    const other = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await admin.bury(other.id, told)).toBe('finished');
    expect(await admin.bury(rig.client.newId(), told)).toBe('not-found');
    const dead = await rig.client.enqueue(work, {});
    expect([await admin.bury(dead.id, told), await admin.bury(dead.id, told)]).toEqual(['buried', 'dead']);
    expect((await admin.audit()).length).toBe(1);
  });

  it('is not found by the admin of another tenant', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    expect(await admin.forTenant('other').bury(id, told)).toBe('not-found');
    expect(await admin.forTenant('acme').bury(id, told)).toBe('buried');
  });

  it('is refused without a reason', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    for (const wrong of [{}, { reason: '' }, undefined]) {
      await expect(admin.bury(id, wrong as typeof told)).rejects.toThrow(/reason: .*Say why/);
    }
    expect(await rig.counts()).toMatchObject({ deadLetters: 0 });
  });
});

describe('the next occurrence of a schedule that an operator buries', () => {
  it('does not come again, and the one after it runs', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const id = (await rig.admin.schedules.get('nightly'))?.next?.id ?? '';
    expect(await rig.admin.bury(id, told)).toBe('buried');
    expect((await readSchedule(rig.tables, 'nightly'))?.settled).toHaveLength(1);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('runs for its own time when it is redriven, beside the others', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const id = (await rig.admin.schedules.get('nightly'))?.next?.id ?? '';
    await rig.admin.bury(id, told);
    expect(await rig.admin.redrive(id)).toBe('redriven');
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T01:00:00', '2026-03-01T02:00:00']);
  });
});

it('many jobs are buried in one bulk action, with one error group that counts them all', async () => {
  const { rig, admin } = stage();
  await rig.client.enqueueMany(
    work,
    Array.from({ length: 70 }, () => ({})),
    { delay: 'PT5H' },
  );
  const preview = await admin.bulk({ verb: 'bury' }, { type: 'work' }, { ...told, dryRun: true });
  expect(preview).toMatchObject({ status: 'dry-run', matched: 70 });
  await rig.clock.advance(MINUTE);
  expect(await admin.bulk({ verb: 'bury' }, { type: 'work' }, told)).toMatchObject({ status: 'done', done: 70, leftAlone: {}, failed: 0 });
  expect((await admin.errorGroups({})).groups).toMatchObject([{ open: 70, seen: 70 }]);
});
