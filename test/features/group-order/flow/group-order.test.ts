import { describe, expect, it } from 'vitest';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createClient } from '../../../../shared/client/job-client.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { makeJobId } from '../../../../shared/job/job-id.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { complete } from '../../../../shared/job/verdict.ts';
import { groupStage as stage, placesOf, step } from '../../../support/group-stage.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the order of a group that a failure holds back', () => {
  it('is that of the enqueues, also if a message is lost', async () => {
    const { rig, ran, enqueue } = stage();
    const send = rig.hints.send.bind(rig.hints);
    rig.hints.send = async (hints) => hints;
    await enqueue('a');
    rig.hints.send = send;
    await enqueue('b');
    await rig.drain();
    expect(ran).toEqual([]);
    await rig.clock.advance(10 * MINUTE);
    await rig.sweep();
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
  });

  it('is that of the enqueues within one instant, in one call and in a completion', async () => {
    const { rig, ran, enqueue } = stage();
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
    await rig.client.enqueueMany(
      step,
      names.map((name) => ({ name })),
    );
    await enqueue('parent', { next: ['x', 'y', 'z'] });
    await rig.drain();
    expect(ran).toEqual([...names, 'parent', 'x', 'y', 'z']);
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('holds although the clocks of producers differ', async () => {
    const { rig, ran, enqueue } = stage();
    const behind = new SettableClock(rig.clock.now() - 2_000);
    const client = createClient({ ...rig.deps, clock: behind, beforeCreate: [] }, (writes) => [...writes]);
    await enqueue('a');
    // Due later: nothing that is due now waits for it.
    await rig.client.enqueue(step, { name: 'later' }, { delay: 1_000 });
    await client.enqueue(step, { name: 'b' });
    await enqueue('c');
    await rig.drain();
    expect(ran).toEqual(['a', 'b', 'c']);
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(ran).toEqual(['a', 'b', 'c', 'later']);
  });

  it('does not depend on how many are due soon', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a');
    for (let n = 0; n < 12; n++) await rig.client.enqueue(step, { name: `later ${n}` }, { delay: 1_000 });
    await enqueue('b');
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
  });

  it('places a delayed job by its time, behind others of that time', async () => {
    const { rig, ran, enqueue } = stage();
    const runAt = new Date(rig.clock.now() + HOUR);
    const later = async (name: string): Promise<string> => (await rig.client.enqueue(step, { name }, { runAt })).id;
    await later('one');
    await later('two');
    const three = await later('three');
    await enqueue('now');
    await rig.drain();
    expect(ran).toEqual(['now']);
    expect(await rig.client.reschedule(three, { delay: 'PT30M' })).toBe('rescheduled');
    await rig.clock.advance(HOUR - 1_000);
    await enqueue('just before');
    await rig.clock.advance(1_000);
    for (let round = 0; round < 3; round++) await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['now', 'three', 'just before', 'one', 'two']);
  });

  it('is that of the enqueues for a job with an own id of an earlier time, too', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a', { fails: 1 });
    await enqueue('b');
    await rig.client.enqueue(step, { name: 'late' }, { id: makeJobId(rig.clock.now() - HOUR, rig.deps.entropy.bytes(10)) });
    await rig.drain();
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b', 'late']);
  });

  it('moves with a job that an operator starts or puts off', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const { id } = await rig.client.enqueue(step, { name: 'early' }, { delay: 'PT2H' });
    const off = await enqueue('off');
    await enqueue('a');
    expect(await admin.setDueDate(off, { delay: 'PT1H' })).toBe('rescheduled');
    await rig.clock.advance(1_000);
    await admin.runNow(id);
    await rig.drain();
    expect(ran).toEqual(['a', 'early']);
    expect(await placesOf(rig)).toEqual([off]);
  });

  it('holds for the jobs of a batch and for its callback', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a', { fails: 1 });
    await rig.client.enqueueBatch(step, [{ name: 'b' }, { name: 'c' }], { onCompleted: followUp(step, { name: 'all' }) });
    await rig.drain();
    expect(ran).toEqual(['a']);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b', 'c', 'all']);
    expect(await placesOf(rig)).toEqual([]);
  });

  it('removes the place of a job that is gone', async () => {
    const { rig, ran, enqueue } = stage();
    const a = await enqueue('a');
    await rig.tables.write({ op: 'delete', table: 'jobs', key: { id: a } });
    await enqueue('b');
    await rig.drain();
    expect(ran).toEqual(['b']);
    expect(await placesOf(rig)).toEqual([]);
  });
});

describe('a group with onFailure', () => {
  it('is refused if its options cannot work, before anything is written', async () => {
    const { rig } = stage();
    const enqueue = (options: Parameters<typeof rig.client.enqueue>[2]): Promise<unknown> => rig.client.enqueue(step, {}, options);
    const refused: readonly (readonly [Parameters<typeof enqueue>[0], string])[] = [
      [{ group: { name: 'g', onFailure: 'stop' as 'block' } }, 'group.onFailure: "stop" is not valid. Use continue or block.'],
      [{ group: { name: 1 as unknown as string } }, 'group.name: a number is not valid. Use a text.'],
      [{ group: {} as { name: string } }, 'group.name: undefined is not valid. Give the name of the group.'],
      [{ group: { name: 'g', more: 1 } as { name: string } }, 'group: "more" is not valid. Known are: name, onFailure.'],
      [{ group: { name: 'g', onFailure: 'block' }, exclusive: false }, 'exclusive: false is not valid. Leave it out:'],
      [{ key: { value: 'k', onConflict: 'replace' } }, 'key.onConflict: "replace" is not valid. Leave it out, or'],
    ];
    for (const [options, message] of refused) await expect(enqueue(options)).rejects.toThrow(message);
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
    await enqueue({ group: { name: '', onFailure: 'block' } });
    expect((await rig.rows('jobs'))[0]).not.toHaveProperty('groupPlace');
  });

  it('lets no other enqueue replace a job that has its place, though it has a key', async () => {
    const { rig, enqueue } = stage();
    const { id } = await rig.client.enqueue(step, { name: 'a' }, { key: 'k' });
    const key = { value: 'k', onConflict: 'replace' } as const;
    expect(await rig.client.enqueue(step, { name: 'b' }, { key, group: 'order' })).toEqual({ id, duplicate: true });
    await enqueue('c');
    expect(await placesOf(rig)).toHaveLength(2);
  });

  it('is inherited with its order by the jobs of a handler', async () => {
    const child = defineJob('child', { payload: anyPayload, inheritGroup: true });
    const parent = defineJob('parent', { payload: anyPayload, group: { name: 'g', onFailure: 'block' } });
    const rig = new Rig({ handlers: [parent.handle(() => complete({ enqueue: [followUp(child, {})] })), child.handle(() => {})] });
    await rig.client.enqueue(parent, {});
    await rig.deliver();
    expect((await rig.rows('jobs'))[0]).toMatchObject({ type: 'child', group: 'g', groupPlace: expect.any(String) as unknown });
    await rig.drain();
    expect(await placesOf(rig)).toEqual([]);
  });
});
