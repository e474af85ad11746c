import { describe, expect, it } from 'vitest';
import type { BulkAction, BulkProgress } from '../../operate/bulk/bulk-verbs.ts';
import { InvalidInputError, RowUnreadableError } from '../../shared/job/errors.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';

const redrive: BulkAction = { verb: 'redrive' };

describe('a bulk action', () => {
  it('does to every job that matches what the verb does to one, and to no other', async () => {
    const { rig, admin, ids, ran } = await deadLetters(60);
    const progress: BulkProgress[] = [];
    const report = await admin.bulk(
      redrive,
      { type: 'work' },
      { onProgress: (now) => void progress.push(now), actor: 'anna', reason: 'repaired' },
    );
    expect(report).toMatchObject({ status: 'done', complete: true, matched: 60, done: 60, failed: 0, leftAlone: {}, actor: 'anna' });
    expect(progress.map(({ done }) => done)).toEqual(expect.arrayContaining([50, 60]));
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(await rig.rows('deadLetters')).toMatchObject([{ type: 'other' }]);
    expect(await admin.bulks()).toEqual([report]);
  });

  it('counts beforehand exactly what it then does, and writes nothing for it', async () => {
    const { rig, admin } = await deadLetters(30);
    const before = await rig.counts();
    const dry = await admin.bulk(redrive, { type: 'work' }, { dryRun: true });
    expect(dry).toMatchObject({ status: 'dry-run', matched: 30, done: 0, complete: true });
    expect(dry.id).toBeUndefined();
    expect(await rig.counts()).toEqual(before);
    expect(await admin.bulks()).toEqual([]);
    expect((await admin.bulk(redrive, { type: 'work' })).done).toBe(dry.matched);
  });

  it('that matches nothing says so', async () => {
    const { admin } = brokenStage();
    expect(await admin.bulk(redrive, { type: 'nothing' })).toMatchObject({ status: 'done', matched: 0, done: 0, complete: true });
  });

  it('does nothing to jobs that lack the field that the filter names, whatever text it names', async () => {
    const { rig, admin } = await deadLetters(3);
    for (const field of ['correlationId', 'batch', 'group', 'schedule'] as const) {
      for (const text of ['undefined', 'null', '']) {
        const report = admin.bulk({ verb: 'delete' }, { state: 'dead', type: 'work', [field]: text });
        if (text === '') await expect(report).rejects.toThrow(InvalidInputError);
        else expect(await report).toMatchObject({ matched: 0, done: 0 });
      }
    }
    await expect(admin.bulk({ verb: 'delete' }, { state: 'dead', text: '' })).rejects.toThrow(/^text: /);
    expect(await rig.rows('deadLetters')).toHaveLength(4);
  });

  it('leaves one entry in the audit when it begins and one when it ends, with the counts, and none for each job', async () => {
    const { admin } = await deadLetters(5);
    const { id } = await admin.bulk({ verb: 'delete' }, { state: 'dead', type: 'work' }, { actor: 'anna', reason: 'obsolete' });
    const entries = (await admin.audit()).map(({ verb, actor, reason, detail }) => ({ verb, actor, reason, detail }));
    const told = { verb: 'bulk delete', actor: 'anna', reason: 'obsolete' };
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual({ ...told, detail: `${id}: began` });
    expect(entries).toContainEqual({ ...told, detail: `${id}: done, 5 of 5 done` });
  });

  it('takes no more jobs than its limit, and says that there may be others', async () => {
    const { rig, admin } = await deadLetters(10);
    expect(await admin.bulk(redrive, { type: 'work' }, { limit: 4 })).toMatchObject({
      status: 'done',
      matched: 4,
      done: 4,
      complete: false,
    });
    expect(await admin.bulk(redrive, { type: 'work' }, { limit: 4, dryRun: true })).toMatchObject({ matched: 4, complete: false });
    expect(await rig.rows('deadLetters')).toHaveLength(7);
  });

  it('is refused before anything is read when it names no job, or jobs that the verb can do nothing to', async () => {
    const { admin } = await deadLetters(1);
    const refusals: readonly [BulkAction, object, object?][] = [
      [redrive, {}],
      [redrive, { type: '' }],
      [redrive, { state: 'running' }],
      [{ verb: 'delete' }, { state: 'ready' }],
      [{ verb: 'explode' } as never, { type: 'work' }],
      [{ verb: 'set-retries', retries: 0 }, { type: 'work' }],
      [{ verb: 'set-due-date' }, { type: 'work' }],
      [{ verb: 'change-tenant', tenant: '' }, { type: 'work' }],
      [{ verb: 'delete', force: true } as never, { type: 'work' }],
      [redrive, { type: 'work' }, { ratePerSecond: 0 }],
      [redrive, { type: 'work' }, { limit: 0.5 }],
      [redrive, { type: 'work' }, { onProgress: 'often' }],
      [redrive, { type: 'work' }, { signal: {} }],
      [redrive, { type: 'work' }, null as never],
      [redrive, null as never],
      [null as never, { type: 'work' }],
      [redrive, { type: 'work' }, { dryrun: true }],
      [{ verb: 'delete' }, { type: 'work' }, { canary: true }],
    ];
    for (const [action, filter, options] of refusals) {
      await expect(admin.bulk(action, filter, options as never)).rejects.toThrow(InvalidInputError);
    }
    expect(await admin.bulks()).toEqual([]);
    expect(await admin.bulk({ verb: 'delete' }, { state: 'dead' }, { dryRun: true })).toMatchObject({ matched: 2 });
  });
});

describe('a list of bulk actions', () => {
  it('is not hidden by a damaged row, and who resumes that one is told what is wrong with it', async () => {
    const { rig, admin } = await deadLetters(2);
    const report = await admin.bulk(redrive, { type: 'work' });
    const good = { state: '{}', steps: 1, updatedAt: '2026-01-31T00:00:00.000Z' };
    const damaged = {
      a: { ...good, updatedAt: 'lately' },
      b: { ...good, steps: 'two' },
      c: { ...good, state: 7 },
      d: { ...good, state: '{' },
    };
    for (const [sk, row] of Object.entries(damaged)) {
      await rig.tables.write({ op: 'put', table: 'control', row: { pk: 'bulk', sk, ...row } });
    }
    expect(await admin.bulks()).toEqual([report]);
    for (const id of Object.keys(damaged)) await expect(admin.resumeBulk(id)).rejects.toThrow(RowUnreadableError);
  });
});

describe('a bulk action that an earlier version stored as `activate`', () => {
  it('is listed and continued as `resume`', async () => {
    const { rig, admin } = await deadLetters(0);
    for (let n = 0; n < 2; n++) await admin.breakpoint((await rig.client.enqueue(work, {}, { delay: 'P1D' })).id, { reason: 'audit' });
    const { id = '' } = await admin.bulk({ verb: 'resume' }, { state: 'suspended' }, { signal: AbortSignal.abort() });
    const [row] = (await rig.rows('control')).filter(({ pk }) => pk === 'bulk');
    const state = String(row?.['state']).replace('"verb":"resume"', '"verb":"activate"');
    await rig.tables.write({ op: 'put', table: 'control', row: { ...row, pk: 'bulk', sk: id, state } });
    expect(await admin.bulks()).toMatchObject([{ action: { verb: 'resume' }, status: 'stopped' }]);
    expect(await admin.resumeBulk(id)).toMatchObject({ action: { verb: 'resume' }, status: 'done', done: 2 });
    expect(await rig.counts()).toMatchObject({ suspended: 0, timers: 2 });
  });
});

describe('each verb in bulk', () => {
  it('cancels what lives and leaves the dead alone', async () => {
    const { rig, admin } = await deadLetters(2);
    await rig.client.enqueue(work, {});
    await rig.client.enqueue(work, {}, { delay: 'P1D' });
    expect(await admin.bulk({ verb: 'cancel' }, { type: 'work' }, { reason: 'left us' })).toMatchObject({ matched: 2, done: 2 });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 3 });
  });

  it('sets retries, of dead letters too', async () => {
    const { rig, admin } = await deadLetters(2);
    await rig.client.enqueue(work, {}, { delay: 'P1D' });
    expect(await admin.bulk({ verb: 'set-retries', retries: 7 }, { type: 'work' })).toMatchObject({ matched: 3, done: 3 });
    expect([...(await rig.rows('jobs')), ...(await rig.rows('timers'))].map((row) => row['triesLimit'])).toEqual([7, 7, 7]);
  });

  it('sets due dates, counted from when it began, and brings no dead letter back that was not asked for', async () => {
    const { rig, admin } = await deadLetters(1);
    for (const delay of ['PT2H', 'PT3H'] as const) await rig.client.enqueue(work, {}, { delay });
    const due = new Date(rig.clock.now() + 3_600_000).toISOString();
    expect(await admin.bulk({ verb: 'set-due-date', delay: 'PT1H' }, { type: 'work' })).toMatchObject({ matched: 2, done: 2 });
    expect((await rig.rows('timers')).map((row) => row['dueAt'])).toEqual([due, due]);
    expect(await rig.rows('deadLetters')).toHaveLength(2);
  });

  it('sets priorities, stops, resumes, runs now and moves to another tenant', async () => {
    const { rig, admin, ran, health } = brokenStage();
    health.broken = false;
    for (const tenant of ['a', 'a', 'b']) await rig.client.enqueue(work, {}, { tenant, delay: 'P1D' });
    const ofA = { type: 'work', tenant: 'a' };
    expect(await admin.bulk({ verb: 'set-priority', priority: 9 }, ofA)).toMatchObject({ matched: 2, done: 2 });
    expect((await rig.rows('timers')).filter((row) => row['priority'] === 9)).toHaveLength(2);
    expect(await admin.bulk({ verb: 'suspend' }, ofA, { reason: 'look first' })).toMatchObject({ matched: 2, done: 2 });
    expect(await rig.rows('suspended')).toMatchObject([{ reason: 'look first' }, { reason: 'look first' }]);
    expect(await admin.bulk({ verb: 'resume' }, ofA)).toMatchObject({ matched: 2, done: 2 });
    expect(await admin.bulk({ verb: 'change-tenant', tenant: 'c' }, ofA)).toMatchObject({ matched: 2, done: 2 });
    expect(await admin.bulk({ verb: 'run-now' }, { tenant: 'c' })).toMatchObject({ matched: 2, done: 2 });
    await rig.drain();
    expect(ran).toHaveLength(2);
    expect(await rig.rows('timers')).toMatchObject([{ tenant: 'b' }]);
  });

  it('says how many it left alone, and why', async () => {
    const { rig, admin } = brokenStage();
    await rig.client.enqueue(work, {}, { key: 'k' });
    await rig.drain();
    await rig.client.enqueue(work, {}, { key: 'k', delay: 'P1D' });
    expect(await admin.bulk(redrive, { type: 'work' })).toMatchObject({ matched: 1, done: 0, leftAlone: { 'key-taken': 1 } });
  });
});
