import { describe, expect, it } from 'vitest';
import { followUp } from '../../shared/job/follow-up.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { movedKey } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { take } from '../support/faulty-rig.ts';
import { controlOf, kindsOf, narrow, only, put, remove, repairs, restoredRig, work } from '../support/restored-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a deployment that is in order', () => {
  it('is left as it is', async () => {
    const rig = restoredRig();
    await rig.admin.schedules.put(defineSchedule('hourly', { job: work, payload: {}, every: 'PT1H' }));
    await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT2H' });
    await rig.client.enqueue(work, { fail: true });
    const batch = await rig.client.createBatch({ onCompleted: followUp(work, {}) });
    await batch.enqueue(work, {});
    await batch.enqueue(work, {}, { delay: 'PT3H' });
    await batch.seal();
    await rig.drain();
    const { findings, rows, failed, next, applied } = await rig.admin.reconcile({ apply: true, restoredTo: iso(rig.clock.now()) });
    expect({ findings, failed, next, applied }).toEqual({ findings: [], failed: 0, next: undefined, applied: true });
    expect(rows).toBeGreaterThan(4);
  });
});

describe('a job in two places', () => {
  it('stays where it went last: a timer that was fired goes', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 20 * MINUTE });
    const timer = await only(rig, 'timers');
    await rig.clock.advance(16 * MINUTE);
    await rig.fire();
    await put(rig, 'timers', timer);
    await repairs(rig, 'two-places');
    expect(await rig.rows('timers')).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
    expect((await rig.admin.audit()).filter(({ verb }) => verb === 'reconcile')).toEqual([
      expect.objectContaining({ jobId: id, type: 'work', actor: 'operator', detail: expect.stringContaining('two-places') }),
    ]);
  });

  it('stays where it went last: a job that became a dead letter is gone from Jobs, one that was redriven from DeadLetters', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, { fail: true });
    const ready = await only(rig, 'jobs');
    await rig.drain();
    const dead = await only(rig, 'deadLetters');
    await put(rig, 'jobs', ready);
    await repairs(rig, 'two-places');
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead' });
    await rig.admin.redrive(id);
    await put(rig, 'deadLetters', dead);
    await repairs(rig, 'two-places');
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
  });

  it('is left alone while an executor runs the older row, and if a row changes between the look and the write', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 20 * MINUTE });
    const timer = await only(rig, 'timers');
    await rig.clock.advance(20 * MINUTE);
    await rig.fire();
    const held = await take(rig, id);
    await put(rig, 'timers', { ...timer, rev: 50 });
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'two-places': '1 left' });
    await rig.clock.advance(2 * MINUTE);
    rig.faults.before(aimAt('delete', 'jobs'), async () =>
      put(rig, 'jobs', { ...(await rig.tables.get('jobs', idKey(id))), rev: held.rev + 1 }),
    );
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'two-places': '1 changed' });
    rig.faults.before(aimAt('delete', 'jobs'), async () =>
      remove(rig, 'timers', { shard: String(timer['shard']), due: String(timer['due']) }),
    );
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'two-places': '1 changed' });
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'running' });
  });
});

describe('a finished job', () => {
  it('does not run again: its row goes, with its key', async () => {
    const rig = restoredRig();
    await rig.client.enqueue(work, {}, { key: 'k' });
    const [ready, key] = [await only(rig, 'jobs'), (await controlOf(rig, 'key#'))[0]];
    await rig.drain();
    await put(rig, 'jobs', ready);
    await put(rig, 'control', key);
    await repairs(rig, 'finished-again');
    expect([...(await rig.rows('jobs')), ...(await controlOf(rig, 'key#'))]).toEqual([]);
  });

  it('that is another life of its id is kept: its row was created after that end', async () => {
    const rig = restoredRig();
    await rig.client.enqueue(work, {});
    const ready = await only(rig, 'jobs');
    await rig.drain();
    await rig.clock.advance(MINUTE);
    await put(rig, 'jobs', { ...ready, createdAt: iso(rig.clock.now()) });
    expect(await kindsOf(rig)).toEqual({});
  });

  it('does not run again when it took less time than its producer’s clock was ahead', async () => {
    const rig = restoredRig();
    await rig.client.enqueue(work, {});
    const ready = await only(rig, 'jobs');
    await rig.drain();
    const createdAt = iso(rig.clock.now() + MINUTE);
    const [finished] = (await rig.rows('history')).filter(({ id }) => id === ready['id']);
    expect(finished?.['createdAt']).toBe(ready['createdAt']);
    await put(rig, 'history', { ...finished, createdAt });
    await put(rig, 'jobs', { ...ready, createdAt });
    await repairs(rig, 'finished-again');
    expect(await rig.rows('jobs')).toEqual([]);
  });

  it('that an executor runs again is left to it', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {});
    const ready = await only(rig, 'jobs');
    await rig.drain();
    await put(rig, 'jobs', ready);
    await take(rig, id);
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'finished-again': '1 left' });
  });
});

describe('a job that only an earlier copy has', () => {
  const copies = { jobs: 'early-jobs', timers: 'early-timers', suspended: 'early-suspended', deadLetters: 'early-dead' };

  it.each([
    ['jobs', {}, 'ready'],
    ['timers', { delay: 2 * HOUR }, 'waiting'],
  ] as const)('is put back: from %s', async (table, options, state) => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { ...options, key: 'k' });
    const row = await only(rig, table);
    await rig.copy.putAll(table, [row]);
    const key = table === 'jobs' ? idKey(id) : { shard: String(row['shard']), due: String(row['due']) };
    await remove(rig, table, key);
    for (const held of await controlOf(rig, 'key#')) await remove(rig, 'control', { pk: String(held['pk']), sk: String(held['sk']) });
    expect(await kindsOf(rig, { copies })).toEqual({ 'job-missing': '1 found' });
    expect(await kindsOf(rig, { copies, apply: true })).toEqual({ 'job-missing': '1 repaired', 'key-missing': '1 repaired' });
    expect(await kindsOf(rig, { copies })).toEqual({});
    expect(await rig.client.get(id)).toMatchObject({ state });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toMatchObject({ id, duplicate: true });
  });

  it('is put back with its pointer, its cause, or as a dead letter', async () => {
    const rig = restoredRig();
    const moved = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.client.reschedule(moved.id, { delay: 3 * HOUR });
    const dead = await rig.client.enqueue(work, { fail: true });
    await rig.drain();
    const held = await rig.client.enqueue(work, {});
    await rig.admin.breakpoint(held.id, { reason: 'test' });
    const suspended = { ...(await only(rig, 'suspended')), cause: 'type#work', causeLeaf: 'type#work#0' };
    const [timer, letter] = [await only(rig, 'timers'), await only(rig, 'deadLetters')];
    await rig.copy.putAll('timers', [timer]);
    await rig.copy.putAll('suspended', [suspended]);
    await rig.copy.putAll('deadLetters', [letter]);
    await remove(rig, 'timers', { shard: String(timer['shard']), due: String(timer['due']) });
    await remove(rig, 'control', movedKey(moved.id));
    await remove(rig, 'suspended', idKey(held.id));
    await remove(rig, 'deadLetters', idKey(dead.id));
    expect(await kindsOf(rig, { copies, apply: true })).toEqual({ 'job-missing': '3 repaired', 'suspended-unlisted': '1 repaired' });
    for (const [id, state] of [
      [moved.id, 'waiting'],
      [held.id, 'suspended'],
      [dead.id, 'dead'],
    ] as const)
      expect(await rig.client.get(id)).toMatchObject({ state });
    expect(await kindsOf(rig, { copies })).toEqual({});
  });

  it('is left out if it is finished, if it is elsewhere, and if it comes back between the look and the write', async () => {
    const rig = restoredRig();
    const finished = await rig.client.enqueue(work, {});
    await rig.copy.putAll('jobs', [await only(rig, 'jobs')]);
    await rig.drain();
    const waiting = await rig.client.enqueue(work, {}, { delay: HOUR });
    const timer = await only(rig, 'timers');
    await rig.copy.putAll('timers', [timer]);
    expect(await kindsOf(rig, { copies, apply: true })).toEqual({});
    await remove(rig, 'timers', { shard: String(timer['shard']), due: String(timer['due']) });
    rig.faults.before(aimAt('put', 'timers'), async () => put(rig, 'timers', { ...timer, payload: '{"other":true}' }));
    expect(await kindsOf(rig, { copies, apply: true })).toEqual({ 'job-missing': '1 changed' });
    expect(await rig.tables.get('timers', { shard: String(timer['shard']), due: String(timer['due']) })).toMatchObject({
      payload: '{"other":true}',
    });
    expect([rig.ran, waiting.id === finished.id]).toEqual([[finished.id], false]);
  });
});

describe('what leads to a job', () => {
  it.each(['missing', 'elsewhere'])('is repaired: a pointer that is %s', async (how) => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.client.reschedule(id, { delay: 2 * HOUR });
    const pointer = await rig.tables.get('control', movedKey(id));
    if (how === 'missing') await remove(rig, 'control', movedKey(id));
    else await put(rig, 'control', { ...pointer, due: `${iso(rig.clock.now() + 3 * HOUR)}#${id}` });
    expect(await rig.client.get(id)).toBeUndefined();
    await repairs(rig, 'unreachable-timer');
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting' });
  });

  it('is repaired: the listing of a limit and of a cause', async () => {
    const rig = restoredRig();
    const [parked, held] = [await rig.client.enqueue(narrow, {}), await rig.client.enqueue(work, {})];
    await take(rig, held.id);
    await rig.clock.advance(2 * MINUTE);
    await put(rig, 'timers', {
      ...(await rig.tables.get('jobs', idKey(parked.id))),
      shard: 'limit#gone',
      due: `${iso(rig.clock.now())}#${parked.id}`,
      rev: 7,
    });
    await put(rig, 'control', { ...movedKey(parked.id), shard: 'limit#gone', due: `${iso(rig.clock.now())}#${parked.id}` });
    await remove(rig, 'jobs', idKey(parked.id));
    await repairs(rig, 'parked-unlisted');
    expect(await rig.client.get(parked.id)).toMatchObject({ state: 'ready' });
    await rig.drain();
    expect(rig.ran).toContain(parked.id);
    const waiting = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.admin.breakpoint(waiting.id, { reason: 'test' });
    expect(await kindsOf(rig)).toEqual({});
    await put(rig, 'suspended', { ...(await only(rig, 'suspended')), cause: 'type#work' });
    await repairs(rig, 'suspended-unlisted');
  });
});
