import { describe, expect, it } from 'vitest';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { deadOne, twoOperators, work } from '../support/two-operators.ts';

describe('a delete', () => {
  it('that comes after a redrive deletes nothing, and one that comes before leaves nothing to redrive', async () => {
    const late = await deadOne();
    late.faults.before(aimAt('delete', 'deadLetters'), async () => late.other.redrive(late.id, { payload: {} }));
    expect(await late.admin.delete(late.id)).toBe('ready');
    await late.rig.drain();
    expect(late.ran).toEqual([{}]);
    const early = await deadOne();
    early.faults.before(aimAt('delete', 'deadLetters'), async () => early.other.delete(early.id));
    expect(await early.admin.redrive(early.id)).toBe('changed');
    await early.rig.drain();
    expect([early.ran, (await early.rig.counts()).deadLetters]).toEqual([[], 0]);
  });

  it('looks again when its job was redriven and died again meanwhile, and deletes what lies there then, once', async () => {
    const { rig, admin, other, faults, id } = await deadOne();
    faults.before(aimAt('delete', 'deadLetters'), async () => {
      await other.redrive(id);
      await rig.drain();
    });
    expect(await admin.delete(id)).toBe('deleted');
    expect(await admin.audit()).toHaveLength(2);
    expect((await rig.counts()).deadLetters).toBe(0);
  });

  it('is made once when its reply was lost', async () => {
    const { rig, admin, faults, id } = await deadOne();
    faults.next(aimAt('delete', 'deadLetters'), 'lost-reply');
    expect(await admin.delete(id)).toBe('deleted');
    expect(await admin.audit()).toHaveLength(1);
    expect([(await rig.counts()).deadLetters, faults.pending()]).toEqual([0, 0]);
  });
});

describe('an edit', () => {
  it('comes too late for a job that was claimed a moment ago, which runs with what it had', async () => {
    const { rig, admin, faults, ran } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    faults.before(aimAt('update', 'jobs'), async () => rig.drain());
    expect(await admin.editPayload(id, { n: 2 })).toBe('finished');
    expect(ran).toEqual([{ n: 1 }]);
    expect(await admin.audit()).toEqual([]);
  });

  it('is what a claim finds that comes a moment later', async () => {
    const { rig, other, ran } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    const faulty = faultyTables(rig.tables);
    faulty.before(aimAt('update', 'jobs'), async () => other.editPayload(id, { n: 2 }));
    const [message] = rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 1);
    await rig.execute(message === undefined ? [] : [message], { ...rig.deps, tables: faulty.tables });
    expect([ran, faulty.pending()]).toEqual([[{ n: 2 }], 0]);
  });

  it('goes along when its timer was moved meanwhile, and demands the row that was seen where a `rev` says so', async () => {
    const { rig, admin, faults } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { delay: 'PT5H' });
    faults.before(aimAt('update', 'timers'), async () => rig.client.reschedule(id, { delay: 'PT9H' }));
    expect(await admin.editPayload(id, { n: 2 })).toBe('edited');
    const [row] = await rig.rows('timers');
    expect(row).toMatchObject({ payload: '{"n":2}', dueAt: new Date(rig.clock.now() + 9 * 3_600_000).toISOString() });
    faults.before(aimAt('update', 'timers'), async () => rig.client.reschedule(id, { delay: 'PT7H' }));
    expect(await admin.editPayload(id, { n: 3 }, { rev: Number(row?.['rev']) })).toBe('changed');
    expect(await rig.rows('timers')).toMatchObject([{ payload: '{"n":2}' }]);
  });

  it('and a redrive in one are both or neither', async () => {
    const { rig, admin, faults, ran, id } = await deadOne();
    faults.next(aimAt('put', 'jobs'), 'unavailable');
    await expect(admin.redrive(id, { payload: { n: 5 } })).rejects.toThrow('did not answer');
    expect(await rig.rows('deadLetters')).toMatchObject([{ payload: '{"fails":true}' }]);
    faults.next(aimAt('put', 'jobs'), 'lost-reply');
    expect(await admin.redrive(id, { payload: { n: 5 } })).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([{ n: 5 }]);
  });
});

describe('a move to another tenant', () => {
  it('finds its key taken also when that happened after it looked', async () => {
    const { rig, admin, faults } = twoOperators();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k', delay: 'PT1H' });
    faults.before(aimAt('put', 'control'), async () => rig.client.enqueue(work, {}, { tenant: 'globex', key: 'k', delay: 'PT1H' }));
    expect(await admin.changeTenant(id, 'globex')).toBe('key-taken');
    expect(await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k' })).toEqual({ id, duplicate: true });
    expect((await rig.rows('timers')).map((row) => row['tenant'])).toEqual(expect.arrayContaining(['acme', 'globex']));
  });

  it('frees no key that another job took when its own job had ended', async () => {
    const { rig, admin, faults, ran } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme', key: 'k' });
    let second = '';
    faults.before(aimAt('update', 'jobs'), async () => {
      await rig.drain();
      second = (await rig.client.enqueue(work, { n: 2 }, { tenant: 'acme', key: 'k', delay: 'PT1H' })).id;
    });
    expect(await admin.changeTenant(id, 'globex')).toBe('finished');
    expect(ran).toEqual([{ n: 1 }]);
    expect(await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k' })).toEqual({ id: second, duplicate: true });
  });
});
