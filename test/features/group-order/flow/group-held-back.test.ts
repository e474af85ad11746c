import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { aside, groupStage as stage, placesOf, step } from '../../../support/group-stage.ts';
import { sweepAgain } from '../../../support/old-dead-letters.ts';
import type { Rig } from '../../../support/rig.ts';

const HOUR = 3_600_000;
const told = { reason: 'the customer called' };

const states = async (rig: Rig, ids: readonly string[]): Promise<readonly (string | undefined)[]> =>
  Promise.all(ids.map(async (id) => (await rig.client.get(id))?.state));

describe('a group that a failure holds back', () => {
  it('waits through the retry of a job, and then continues in its order', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const ids = [await enqueue('a', { fails: 1 }), await enqueue('b'), await enqueue('c')];
    await rig.drain();
    expect(ran).toEqual(['a']);
    expect(await states(rig, ids)).toEqual(['waiting', 'parked', 'parked']);
    expect((await admin.list({ state: 'parked' })).jobs.map(({ limit, parkedAt }) => [limit, parkedAt])).toEqual([
      [undefined, new Date(rig.clock.now())],
      [undefined, new Date(rig.clock.now())],
    ]);
    const [holder = ''] = ids;
    const waits = 'The jobs of its group order that are behind it wait until it has ended, or the group is released.';
    const explained = await admin.explain(holder);
    expect(explained).toMatchObject({ code: 'retry-later', text: expect.stringContaining(waits) as string });
    expect(explained?.verbs).toContain('releaseGroup');
    // What is enqueued meanwhile waits, too.
    ids.push(await enqueue('d'));
    await rig.drain();
    expect(ran).toEqual(['a']);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b', 'c', 'd']);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
    expect(await placesOf(rig)).toEqual([]);
  });

  it('waits for a dead letter until it is redriven and done', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', { fails: 2 });
    const b = await enqueue('b');
    await rig.drain();
    const parkedAt = new Date(rig.clock.now()).toISOString();
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(await states(rig, [a, b])).toEqual(['dead', 'parked']);
    expect(await admin.explain(b)).toMatchObject({
      text: expect.stringContaining(`It waits until job ${a}, which is a dead letter, has ended.`) as string,
      facts: { group: 'order', behind: a, parkedAt },
    });
    // It is not the one that releases the group.
    expect((await admin.explain(b))?.verbs).not.toContain('releaseGroup');
    const explained = await admin.explain(a);
    expect(explained?.text).toContain(
      'The jobs of its group order that are behind it wait until it is redriven and done, or deleted, or the group is released.',
    );
    expect(explained?.verbs).toContain('releaseGroup');
    expect(await admin.redrive(a)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'a', 'b']);
    expect(await placesOf(rig)).toEqual([]);
  });

  it('goes on at once when a job before it is too late to start', async () => {
    const { rig, ran, enqueue } = stage();
    const send = rig.hints.send.bind(rig.hints);
    rig.hints.send = async (hints) => hints;
    const { id } = await rig.client.enqueue(step, { name: 'a' }, { startWithin: 'PT1M' });
    rig.hints.send = send;
    await enqueue('b');
    await rig.drain();
    expect(ran).toEqual([]);
    await rig.clock.advance(10 * 60_000);
    await rig.sweep();
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'expired' });
    expect(ran).toEqual(['b']);
  });

  it('goes on within a minute when what holds it back is cancelled, deleted or erased', async () => {
    for (const end of ['cancel', 'delete', 'erase'] as const) {
      const { rig, ran, enqueue, admin } = stage();
      const a = await enqueue('a', { fails: 2 });
      const b = await enqueue('b');
      await rig.drain();
      if (end === 'cancel') expect(await rig.client.cancel(a)).toBe('cancelled');
      else {
        await rig.clock.advance(HOUR);
        await rig.fire();
        await rig.drain();
        if (end === 'delete') expect(await admin.delete(a)).toBe('deleted');
        else expect(await admin.erase({ id: a }, { apply: true, ...told })).toMatchObject({ erased: { deadLetters: 1 } });
      }
      expect(await placesOf(rig)).toEqual([b]);
      expect(await states(rig, [b])).toEqual(['parked']);
      expect((await rig.fire()).released).toBe(1);
      await rig.drain();
      expect(ran.at(-1)).toBe('b');
      expect(await placesOf(rig)).toEqual([]);
    }
  });

  it('goes on when the sweeper removes the old dead letter that holds it back, which leaves no place behind', async () => {
    const { rig, ran, enqueue, admin } = stage();
    await enqueue('a', { fails: 2 });
    const b = await enqueue('b');
    await rig.drain();
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    await admin.setRetention('all', 30, told);
    await rig.clock.advance(31 * 24 * HOUR);
    await sweepAgain(rig);
    expect(await rig.counts()).toMatchObject({ deadLetters: 0 });
    expect(await placesOf(rig)).toEqual([b]);
    await rig.fire();
    await rig.drain();
    expect(ran.at(-1)).toBe('b');
  });

  it('is listed with the job that holds it, and goes on without it when an operator says so', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', { fails: 2 });
    await enqueue('b', { fails: 1 });
    await enqueue('c');
    await rig.drain();
    const since = new Date(rig.clock.now());
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    const heldBy = { id: a, type: 'step', worker: 'default', state: 'dead', failures: 2 };
    expect((await admin.blockedGroups()).held).toEqual([{ group: 'order', heldBy, since, waiting: 2, exact: true }]);
    expect(await admin.limits()).toMatchObject({ limits: [] });
    await expect(admin.releaseGroup(a, { reason: '' })).rejects.toThrow(InvalidInputError);
    expect(await admin.releaseGroup(a, told)).toBe('released');
    expect(await admin.releaseGroup(a, told)).toBe('not-holding');
    expect(await admin.audit()).toMatchObject([{ verb: 'releaseGroup', jobId: a, ...told }]);
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b']);
    // One that was passed waits for its turn like any other, and is the next then.
    expect(await admin.redrive(a)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b']);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b', 'b', 'a', 'c']);
  });

  it('lets a job that is tried again take its place once more after its group was let go on', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', { fails: 1 });
    await enqueue('b', { fails: 1 });
    await rig.drain();
    expect(await admin.releaseGroup(a, told)).toBe('released');
    await rig.clock.advance(HOUR / 2);
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
    await rig.clock.advance(HOUR / 2);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
    expect(await states(rig, [a])).toEqual(['parked']);
    await rig.clock.advance(HOUR / 2);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'b', 'b', 'a']);
  });

  it('is listed before others for which fewer wait, and by its id alone if the row of its job cannot be read', async () => {
    const { rig, enqueue, admin } = stage();
    const a = await enqueue('a', { fails: 1, of: 'few' });
    await enqueue('b', { of: 'few' });
    await enqueue('c', { fails: 1, of: 'many' });
    await enqueue('d', { of: 'many' });
    await enqueue('e', { of: 'many' });
    await rig.drain();
    const [row] = (await rig.rows('timers')).filter(({ id }) => id === a);
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, rev: 'many' } });
    const { held = [] } = await admin.blockedGroups();
    expect(held.map(({ group, waiting }) => [group, waiting])).toEqual([
      ['many', 2],
      ['few', 1],
    ]);
    expect(held[1]?.heldBy).toEqual({ id: a });
    expect(await placesOf(rig)).toHaveLength(5);
  });

  it('waits for a job whose row cannot be read until an operator settles its dead letter', async () => {
    for (const verb of ['delete', 'releaseGroup'] as const) {
      const { rig, ran, enqueue, admin } = stage();
      await enqueue('a', { fails: 1 });
      const b = await enqueue('b');
      await enqueue('c');
      await rig.drain();
      const [row] = (await rig.rows('timers')).filter(({ id }) => id === b);
      await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, rev: 'many' } });
      await rig.clock.advance(HOUR);
      await rig.fire();
      await rig.drain();
      await rig.fire();
      expect(ran).toEqual(['a', 'a']);
      expect(await rig.client.get(b)).toMatchObject({ state: 'dead', reason: 'unreadable', group: 'order' });
      expect((await admin.blockedGroups()).held).toMatchObject([{ heldBy: { id: b, state: 'dead' }, waiting: 1 }]);
      await admin[verb](b, told);
      await rig.fire();
      await rig.drain();
      expect(ran).toEqual(['a', 'a', 'c']);
      expect(await placesOf(rig)).toEqual([]);
    }
  });

  it('does not wait for one of which the group or the place cannot be read', async () => {
    for (const spoiled of [{ group: 'x'.repeat(257) }, { groupPlace: 1 }]) {
      const { rig, ran, enqueue } = stage();
      await enqueue('a', { fails: 1 });
      const b = await enqueue('b');
      await enqueue('c');
      await rig.drain();
      const [row] = (await rig.rows('timers')).filter(({ id }) => id === b);
      await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, rev: 'many', ...spoiled } });
      await rig.clock.advance(HOUR);
      await rig.fire();
      await rig.drain();
      expect(ran).toEqual(['a', 'a', 'c']);
      expect(await rig.client.get(b)).not.toHaveProperty('group');
    }
  });

  it('releases no group for a job that runs, waits for another, has ended, or has none', async () => {
    const { rig, enqueue, admin } = stage();
    await enqueue('a', { fails: 1 });
    const b = await enqueue('b');
    const { id } = await rig.client.enqueue(aside, { of: 'another' });
    expect(await admin.releaseGroup(id, told)).toBe('not-holding');
    await rig.drain();
    expect(await admin.releaseGroup(b, told)).toBe('parked');
    expect(await admin.releaseGroup(id, told)).toBe('finished');
  });

  it('waits for a suspended job, too', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a');
    expect(await admin.breakpoint(a, told)).toBe('stopped');
    await enqueue('b');
    await rig.drain();
    expect(ran).toEqual([]);
    expect((await admin.blockedGroups()).held).toMatchObject([{ heldBy: { id: a, state: 'suspended' } }]);
    expect((await admin.blockedGroups()).held?.[0]).not.toHaveProperty('since');
    expect(await admin.explain(a)).toMatchObject({
      text: expect.stringContaining('The jobs of its group order that are behind it wait until it has ended') as string,
      verbs: ['resumeJob', 'runNow', 'cancel', 'releaseGroup'],
    });
    await admin.resumeJob(a);
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
  });

  it('says in an explanation that others wait exactly as long as an operator can release the group', async () => {
    const { rig, enqueue, admin } = stage();
    const a = await enqueue('a', { fails: 1 });
    await enqueue('b');
    await rig.drain();
    const verbs = async () => (await admin.explain(a))?.verbs ?? [];
    await rig.clock.advance(HOUR);
    await rig.fire();
    expect((await rig.client.get(a))?.state).toBe('ready');
    expect(await verbs()).toContain('releaseGroup');
    expect(await admin.releaseGroup(a, told)).toBe('released');
    expect(await verbs()).not.toContain('releaseGroup');
  });

  it('neither waits nor holds back where a job says continue, though it never runs two at once', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a', { fails: 1 });
    await rig.client.enqueue(aside, { name: 'beside' });
    await rig.client.enqueue(step, { name: 'named alone' }, { group: 'order' });
    await rig.drain();
    expect(ran).toEqual(['a', 'beside', 'named alone']);
  });
});
