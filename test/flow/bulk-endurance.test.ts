import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { BulkAction } from '../../operate/bulk/bulk-verbs.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { severedTables } from '../support/severed-tables.ts';

const redrive: BulkAction = { verb: 'redrive' };

describe('a bulk action whose process dies', () => {
  it('is resumed after any step, and in the end each job was acted on once', async () => {
    const { rig, admin, ids, ran } = await deadLetters(110);
    const die = (): never => {
      throw new Error('killed');
    };
    let bulk = '';
    await expect(admin.bulk(redrive, { type: 'work' }, { onBegin: (id) => (bulk = id), onProgress: die })).rejects.toThrow('killed');
    for (let life = 0; life < 10; life++) {
      const report = await admin.resumeBulk(bulk, { onProgress: die }).catch(() => undefined);
      await rig.drain();
      if (report?.status === 'done') break;
    }
    expect(await admin.resumeBulk(bulk)).toMatchObject({ status: 'done', complete: true, matched: 110, done: 110, failed: 0 });
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('without a word is resumed once its lease has ended, from the last step that was written down', async () => {
    for (const call of [2, 20, 70, 118]) {
      const { rig, admin, ids, ran } = await deadLetters(56);
      const severed = severedTables(rig.tables);
      const doomed = createAdminOver({ ...rig.deps, tables: severed.tables });
      severed.dieAt(call);
      void doomed.bulk(redrive, { type: 'work' });
      for (let turn = 0; turn < 200 && !severed.dead; turn++) await rig.settle();
      expect({ call, dead: severed.dead }).toEqual({ call, dead: true });
      const [seen] = await admin.bulks();
      const held = await admin.resumeBulk(seen?.id ?? '');
      expect(held).toMatchObject({ status: 'running' });
      expect(held?.heldUntil?.getTime()).toBeGreaterThan(rig.clock.now());
      expect((held?.heldUntil?.getTime() ?? 0) - rig.clock.now()).toBeLessThanOrEqual(60_000);
      await rig.clock.advance(61_000);
      expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'done', complete: true });
      await rig.drain();
      // What the process did last may have no hint: the sweeper's.
      await rig.clock.advance(10 * 60_000);
      await rig.sweep();
      await rig.drain();
      expect(ran.toSorted()).toEqual(ids.toSorted());
    }
  });

  it('is taken over by one of two who resume it at once', async () => {
    const { rig, admin, ids, ran } = await deadLetters(60);
    const first = await admin.bulk(redrive, { type: 'work' }, { signal: AbortSignal.abort() });
    expect(first).toMatchObject({ status: 'stopped', done: 0 });
    const both = await Promise.all([admin.resumeBulk(first.id ?? ''), createAdminOver(rig.deps).resumeBulk(first.id ?? '')]);
    expect(new Set(both.map((report) => report?.status))).toEqual(new Set(['done', 'running']));
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('is held by a process whose store answers slowly, also in the middle of a step', async () => {
    const { rig, admin, ids, ran } = await deadLetters(60);
    const { tables } = rig;
    const slow = createAdminOver({
      ...rig.deps,
      tables: {
        ...tables,
        transact: async (writes, ...terms) => {
          if (writes.some(({ table }) => table === 'deadLetters')) await rig.clock.wait(18_000);
          return tables.transact(writes, ...terms);
        },
      },
    });
    let bulk = '';
    const going = slow.bulk(redrive, { type: 'work' }, { onBegin: (id) => (bulk = id) });
    for (let second = 0; second < 70; second++) {
      await rig.settle();
      await rig.clock.advance(1_000);
    }
    expect(await admin.resumeBulk(bulk)).toMatchObject({ status: 'running' });
    expect(await rig.until(going, 1_000)).toMatchObject({ status: 'done', done: 60 });
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('is not redone: an unknown one is undefined, a finished one tells how it ended', async () => {
    const { admin } = await deadLetters(1);
    expect(await admin.resumeBulk('nobody')).toBeUndefined();
    const report = await admin.bulk(redrive, { type: 'work' });
    expect(await admin.resumeBulk(report.id ?? '')).toEqual(report);
  });

  it('stops after the step that it is at when it is told to, and goes on later', async () => {
    const { admin } = await deadLetters(60);
    const stopper = new AbortController();
    const stopped = await admin.bulk(redrive, { type: 'work' }, { signal: stopper.signal, onProgress: () => stopper.abort() });
    expect(stopped).toMatchObject({ status: 'stopped', done: 50, complete: false });
    expect(await admin.resumeBulk(stopped.id ?? '')).toMatchObject({ status: 'done', matched: 60, done: 60 });
    expect((await admin.audit()).map(({ detail }) => detail?.split(': ')[1])).toContain('resumed after 50 done');
  });
});

describe('a bulk action beside others', () => {
  it('acts on a job that dies again under it only once', async () => {
    const { rig, admin, ids, ran, health } = await deadLetters(60);
    health.broken = true;
    const going = admin.bulk(redrive, { type: 'work' }, { ratePerSecond: 500 });
    const diedMeanwhile: number[] = [];
    for (let turn = 0; turn < 40; turn++) {
      await rig.settle();
      await rig.drain();
      diedMeanwhile.push(ran.length);
      await rig.clock.advance(20);
    }
    expect(await going).toMatchObject({ status: 'done', matched: 60, done: 60 });
    expect(diedMeanwhile.some((count) => count > 0 && count < 60)).toBe(true);
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(await rig.rows('deadLetters')).toHaveLength(61);
  });

  it('leaves jobs alone that were enqueued after it began', async () => {
    const { rig, admin } = brokenStage();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 60 }, () => ({})),
      { delay: 'P1D' },
    );
    await rig.clock.advance(1);
    const late: Promise<unknown>[] = [];
    const onProgress = (): void => {
      if (late.length === 0) late.push(rig.clock.advance(1).then(() => rig.client.enqueue(work, {}, { delay: 'P1D' })));
    };
    const report = await admin.bulk({ verb: 'set-priority', priority: 5 }, { type: 'work' }, { onProgress });
    await Promise.all(late);
    expect(report).toMatchObject({ done: 60, complete: true });
    expect((await rig.rows('timers')).filter((row) => row['priority'] === 5)).toHaveLength(60);
    expect(await rig.rows('timers')).toHaveLength(61);
  });

  it('says so when another operator was faster with some of its jobs', async () => {
    const { admin } = await deadLetters(12);
    const [one, two] = await Promise.all([admin.bulk(redrive, { type: 'work' }), admin.bulk({ verb: 'delete' }, { type: 'work' })]);
    expect(one.done + two.done).toBe(12);
    expect([one.failed, two.failed]).toEqual([0, 0]);
  });
});

describe('the rate of a bulk action', () => {
  it('is kept by the clock that it was given, also when another process resumes it', async () => {
    const { rig, admin } = await deadLetters(25);
    const start = rig.clock.now();
    const report = await rig.until(admin.bulk(redrive, { type: 'work' }, { ratePerSecond: 5 }), 200);
    expect(report).toMatchObject({ done: 25 });
    expect(rig.clock.now() - start).toBeGreaterThanOrEqual(4_000);
    expect(rig.clock.now() - start).toBeLessThanOrEqual(6_000);
  });

  it('that makes it wait in the middle of a step counts no job twice when the process dies there', async () => {
    const { rig, admin } = await deadLetters(3);
    const severed = severedTables(rig.tables);
    const doomed = createAdminOver({ ...rig.deps, tables: severed.tables });
    void doomed.bulk(redrive, { type: 'work' }, { ratePerSecond: 0.02 });
    for (let turn = 0; turn < 15; turn++) {
      await rig.settle();
      await rig.clock.advance(5_000);
    }
    severed.die();
    const [seen] = await admin.bulks();
    expect(seen).toMatchObject({ matched: 2, done: 2 });
    await rig.clock.advance(61_000);
    const resumed = admin.resumeBulk(seen?.id ?? '', { ratePerSecond: 100, actor: 'bert' });
    expect(await rig.until(resumed, 1_000)).toMatchObject({ status: 'done', matched: 3, done: 3, actor: 'operator' });
    expect((await admin.audit()).filter(({ actor }) => actor === 'bert')).toHaveLength(2);
  });

  it('may be slower than its lease is long: it says that it is alive, and no process takes it over', async () => {
    const { rig, admin } = await deadLetters(3);
    const slow = admin.bulk(redrive, { type: 'work' }, { ratePerSecond: 0.01 });
    const id = async (): Promise<string> => (await admin.bulks())[0]?.id ?? '';
    for (let turn = 0; turn < 18; turn++) {
      await rig.settle();
      await rig.clock.advance(5_000);
    }
    await rig.settle();
    expect(await admin.resumeBulk(await id())).toMatchObject({ status: 'running', done: 1 });
    expect(await rig.until(slow, 5_000)).toMatchObject({ status: 'done', done: 3 });
  });
});

describe('a canary', () => {
  it('that completes lets the others go', async () => {
    const { rig, admin, ran } = await deadLetters(12);
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true });
    await rig.settle();
    expect(await rig.rows('deadLetters')).toHaveLength(12);
    await rig.drain();
    const report = await rig.until(going, 500);
    expect(report).toMatchObject({ status: 'done', done: 12, canary: { id: ran[0], outcome: 'completed' } });
  });

  it('that dies again ends it, with nothing else touched', async () => {
    const { rig, admin, ran, health } = await deadLetters(12);
    health.broken = true;
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true });
    await rig.settle();
    await rig.drain();
    const report = await rig.until(going, 500);
    expect(report).toMatchObject({ status: 'canary-failed', matched: 1, done: 1, canary: { outcome: 'dead' }, complete: false });
    expect(ran).toHaveLength(1);
    expect(await rig.rows('deadLetters')).toHaveLength(13);
    expect(await admin.resumeBulk(report.id ?? '')).toMatchObject({ status: 'canary-failed' });
  });

  it('that does not end in its time ends it too, and a process that dies meanwhile leaves it to be watched by the next', async () => {
    const { rig, admin } = await deadLetters(5);
    const stopper = new AbortController();
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true, canaryWithin: 'PT2M', signal: stopper.signal });
    await rig.settle();
    stopper.abort();
    const stopped = await rig.until(going, 500);
    expect(stopped).toMatchObject({ status: 'stopped', canary: { outcome: 'running' } });
    const resumed = admin.resumeBulk(stopped.id ?? '');
    expect(await rig.until(resumed, 5_000)).toMatchObject({ status: 'canary-failed', canary: { outcome: 'late' }, done: 1 });
  });
});
