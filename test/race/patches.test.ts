import { describe, expect, it } from 'vitest';
import { aimAt } from '../support/faulty-tables.ts';
import { deadOne, twoOperators, work } from '../support/two-operators.ts';

describe('a patch', () => {
  it('is applied to what another operator wrote meanwhile', async () => {
    const { rig, admin, other, faults } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    faults.before(aimAt('update', 'jobs'), async () => other.patchPayload(id, { m: 2 }));
    expect(await admin.patchPayload(id, { n: 3 })).toBe('patched');
    expect(await rig.rows('jobs')).toMatchObject([{ payload: '{"n":3,"m":2}', rev: 3 }]);
    expect(faults.pending()).toBe(0);
  });

  it('comes too late for a job that was claimed a moment ago, which runs with what it had', async () => {
    const { rig, admin, faults, ran } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    faults.before(aimAt('update', 'jobs'), async () => rig.drain());
    expect(await admin.patchPayload(id, { n: 2 })).toBe('finished');
    expect(ran).toEqual([{ n: 1 }]);
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  it('is written once when its reply was lost', async () => {
    const { rig, admin, faults } = twoOperators();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    faults.next(aimAt('update', 'jobs'), 'lost-reply');
    expect(await admin.patchPayload(id, { n: 2 })).toBe('patched');
    expect(await rig.rows('jobs')).toMatchObject([{ payload: '{"n":2}', rev: 2 }]);
    expect([await admin.audit(), faults.pending()]).toMatchObject([[{ verb: 'patchPayload' }], 0]);
  });
});

describe('a patch that redrives', () => {
  it('is applied to what another operator wrote meanwhile', async () => {
    const { rig, admin, other, faults, ran, id } = await deadOne({ n: 1 });
    faults.before(aimAt('delete', 'deadLetters'), async () => other.editPayload(id, { fails: true, n: 5 }));
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([{ n: 5 }]);
  });

  it('patches a job that another operator redrove meanwhile', async () => {
    const { rig, admin, other, faults, ran, id } = await deadOne({ n: 1 });
    faults.before(aimAt('delete', 'deadLetters'), async () => other.redrive(id));
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('patched');
    await rig.drain();
    expect(ran).toEqual([{ n: 1 }]);
  });

  it('finds nothing of a dead letter that was deleted meanwhile', async () => {
    const { rig, admin, other, faults, id } = await deadOne({ n: 1 });
    faults.before(aimAt('delete', 'deadLetters'), async () => other.delete(id));
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('not-found');
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
  });
});
