import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { erasureKey } from '../../operate/erase/erasure-rows.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { leafOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import { eventPartition } from '../../shared/features/events/store/event-log.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { Query, Tables } from '../../shared/ports/tables.ts';
import { resultRow } from '../../shared/store/control-rows.ts';
import { brokenStage, deadLetters, type DeadLetterStage, other, work } from '../support/dead-letters.ts';
import { placesOf } from '../support/group-stage.ts';
import { WAIT } from '../support/patience.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { shortPages } from '../support/short-pages.ts';
import { SCANS_GO_ON } from '../support/store-differences.ts';

const told = { apply: true, reason: 'ticket 4711', ratePerSecond: 100_000 } as const;
const HOUR = 3_600_000;

/** An entry of the event log about a job, `hours` ago. */
async function event({ rig }: DeadLetterStage, job: string, about: string, hours: number): Promise<void> {
  const hour = new Date(rig.clock.now() - hours * HOUR).toISOString().slice(0, 13);
  const id = `${hour}:00:00.000Z#${String(hours).padStart(8, '0')}#${about}`;
  await rig.tables.write({
    op: 'put',
    table: 'history',
    row: { day: eventPartition(hour, leafOf(job)), id, event: 'failed', jobId: about, type: 'work' },
  });
}

async function result({ rig }: DeadLetterStage, id: string, type: string): Promise<void> {
  const now = rig.clock.now();
  await rig.tables.write({ op: 'put', table: 'control', row: resultRow({ id, type }, '1', { now, until: now + HOUR }) });
}

describe('an erasure that reads many pages', () => {
  it.runIf(SCANS_GO_ON)('erases what lies behind the first page of each place', async () => {
    const made = await deadLetters(3);
    const { rig, admin, ids } = made;
    made.health.broken = false;
    for (let index = 0; index < 2; index++) await rig.client.enqueue(work, {});
    await rig.drain();
    made.health.broken = true;
    for (let index = 0; index < 2; index++) await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    for (const id of ids) await result(made, id, 'work');
    for (const id of ['019a8f3e-6f00-7abc-8def-0123456789ab', '019a8f3e-6f00-7abc-8def-0123456789ac']) await result(made, id, 'other');
    for (const name of ['a', 'b']) {
      const row = {
        pk: 'error-groups',
        sk: name,
        type: 'work',
        message: 'secret',
        sample: ids[0] ?? '',
        lastSeen: '2026-01-01T00:00:00.000Z',
        seen: 1,
      };
      await rig.tables.write({ op: 'put', table: 'control', row });
    }
    const report = await createAdminOver({ ...rig.deps, tables: shortPages(rig.tables) }).erase({ type: 'work' }, told);
    expect(report).toMatchObject({ live: 2, erased: { deadLetters: 3, finished: 2, results: 3, errorTexts: 3 }, failed: 0 });
    expect(await admin.erase({ type: 'work' })).toMatchObject({
      live: 2,
      erased: { deadLetters: 0, finished: 0, results: 0, errorTexts: 0 },
    });
    expect(await admin.erase({ type: 'other' })).toMatchObject({ erased: { deadLetters: 1, results: 2 } });
  });

  it('finds the events of a single job in every hour that History keeps, and no others', async () => {
    const made = await deadLetters(2);
    const { rig, admin, ids } = made;
    const [id = '', neighbour = ''] = ids;
    for (const hours of [0, 1, 23, 24, 71]) await event(made, id, id, hours);
    for (const hours of [0, 24]) await event(made, id, neighbour, hours);
    await event(made, id, id, 1_000);
    expect(await admin.erase({ id })).toMatchObject({ erased: { deadLetters: 1, events: 5 } });
    const pages = createAdminOver({ ...rig.deps, tables: shortPages(rig.tables) });
    expect(await pages.erase({ id }, told)).toMatchObject({ erased: { deadLetters: 1, events: 5 } });
    const left = (await rig.rows('history')).filter(({ event: name }) => name !== undefined);
    expect(left.map(({ jobId }) => jobId).filter((about) => about === id)).toHaveLength(1);
    expect(left).toHaveLength(3);
  });

  it('reads of the History of a single job only its own rows, as they are', async () => {
    const { rig, ids } = await deadLetters(1);
    const [id = ''] = ids;
    const asked: Query[] = [];
    const tables: Tables = {
      ...shortPages(rig.tables),
      query: async (query) => {
        asked.push(query);
        return rig.tables.query(query);
      },
    };
    await createAdminOver({ ...rig.deps, tables }).erase({ id });
    expect(asked.filter(({ table }) => table === 'history')[0]).toMatchObject({ from: id, through: `${id}#~`, consistent: true });
  });

  it.runIf(SCANS_GO_ON)('has written its position down with what it erased, when the store fails at the next page', async () => {
    const { rig, admin, health } = brokenStage();
    health.broken = false;
    for (let index = 0; index < 3; index++) await rig.client.enqueue(other, {}, { tenant: 'acme' });
    await rig.drain();
    const short = shortPages(rig.tables);
    let pages = 0;
    const scan: Tables['scan'] = async (asked) => {
      if (asked.table === 'history' && ++pages === 2) throw new StoreUnavailableError('scan', new Error('throttled'));
      return short.scan(asked);
    };
    let id = '';
    const failing = createAdminOver({ ...rig.deps, tables: { ...short, scan } });
    await expect(failing.erase({ tenant: 'acme' }, { ...told, onBegin: (begun) => (id = begun) })).rejects.toThrow('throttled');
    const state = JSON.parse(String((await rig.tables.get('control', erasureKey(id)))?.['state'])) as Record<string, unknown>;
    expect(state).toMatchObject({ place: 'History', erased: { finished: 1 } });
    expect(state['cursor']).toBeTypeOf('string');
    expect(await admin.resumeErasure(id)).toMatchObject({ status: 'done', erased: { finished: 3 } });
  });

  it('counts live jobs behind the first page too', async () => {
    const { rig, admin } = brokenStage();
    for (let index = 0; index < 201; index++) await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    expect(await admin.erase({ type: 'work' })).toMatchObject({ live: 201 });
  });

  it('counts live jobs once when it is stopped behind them, and begins at the first place for one that it does not know', async () => {
    const { rig, admin } = await deadLetters(1);
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const stopper = new AbortController();
    const first = await admin.erase({ type: 'work' }, { ...told, signal: stopper.signal, onProgress: () => stopper.abort() });
    expect(first).toMatchObject({ status: 'stopped', live: 1, erased: { deadLetters: 0 } });
    expect(await admin.resumeErasure(first.id ?? '')).toMatchObject({ status: 'done', live: 1, erased: { deadLetters: 1 } });
    const key = erasureKey(first.id ?? '');
    const row = (await rig.tables.get('control', key)) ?? {};
    const state = JSON.parse(String(row['state'])) as Record<string, unknown>;
    await rig.tables.write({
      op: 'put',
      table: 'control',
      row: { ...row, state: JSON.stringify({ ...state, status: 'stopped', place: 'elsewhere' }) },
    });
    expect(await admin.resumeErasure(first.id ?? '')).toMatchObject({ status: 'done', live: 2 });
  });
});

describe('the pace of an erasure', () => {
  it('waits before a step that is more than a second of its rate', async () => {
    const { rig, admin } = await deadLetters(80);
    const erasing = admin.erase({ type: 'work' }, { ...told, ratePerSecond: 10 });
    await vi.waitFor(() => expect(rig.clock.pending).toEqual([rig.clock.now() + 7_000]), WAIT);
    expect(await rig.rows('deadLetters')).toHaveLength(81);
    await rig.clock.advance(60_000);
    await vi.waitFor(async () => rig.clock.advance(60_000).then(async () => expect((await rig.rows('deadLetters')).length).toBe(1)), WAIT);
    const ended = vi.fn();
    void erasing.then(ended);
    await vi.waitFor(async () => rig.clock.advance(60_000).then(() => expect(ended).toHaveBeenCalled()), WAIT);
  });

  it('cancels a live job only when its producer cannot put it again', async () => {
    const { rig } = brokenStage();
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const erasing = createAdminOver({ ...rig.deps, putWindowMs: 12_000 }).erase({ type: 'work' }, { ...told, cancelLive: true });
    await vi.waitFor(() => expect(rig.clock.pending).toEqual([rig.clock.now() + 12_000]), WAIT);
    expect(await rig.rows('timers')).toHaveLength(1);
    await rig.clock.advance(12_000);
    expect(await erasing).toMatchObject({ cancelled: 1 });
  });

  it('cancels no live job once it was stopped while it waited for that, and cancels it when it is resumed', async () => {
    const { rig, admin } = brokenStage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const stop = new AbortController();
    const waiting = createAdminOver({ ...rig.deps, putWindowMs: 12_000 });
    let erasure = '';
    const options = { ...told, cancelLive: true, signal: stop.signal, onBegin: (begun: string) => (erasure = begun) };
    const erasing = waiting.erase({ type: 'work' }, options);
    await vi.waitFor(() => expect(rig.clock.pending).toEqual([rig.clock.now() + 12_000]), WAIT);
    stop.abort();
    expect(await erasing).toMatchObject({ status: 'stopped', cancelled: 0, live: 0 });
    expect(await admin.find(id)).toMatchObject({ state: 'waiting' });
    expect(await rig.until(waiting.resumeErasure(erasure))).toMatchObject({ status: 'done', cancelled: 1 });
  });
});

describe('the steps of an erasure', () => {
  it('follow each other at the rate, and hold at most 80 rows', async () => {
    const { rig } = await deadLetters(240);
    const waits: number[] = [];
    let now = rig.clock.now();
    const clock = {
      now: () => now,
      wait: async (ms: number) => {
        waits.push(ms);
        now += ms;
        return Promise.resolve();
      },
    };
    await createAdminOver({ ...rig.deps, clock }).erase({ type: 'work' }, { ...told, ratePerSecond: 100 });
    expect(waits).toEqual([600, 400, 400, 10]);
  });

  it('hold fewer jobs whose place in the order of their group goes with them', async () => {
    const ordered = defineJob('ordered', {
      payload: anyPayload,
      retry: 'never',
      group: ({ of }) => ({ name: String(of), onFailure: 'block' }),
    });
    const rig = new Rig({ handlers: [ordered.handle(() => fail('no'))] });
    await rig.client.enqueueMany(
      ordered,
      Array.from({ length: 41 }, (_, of) => ({ of })),
    );
    await rig.drain();
    await rig.clock.advance(1_000);
    const transacted = vi.spyOn(rig.tables, 'transact');
    const report = await createAdminOver(rig.deps).erase({ type: 'ordered' }, told);
    expect(report).toMatchObject({ status: 'done', erased: { deadLetters: 41 } });
    const deletes = transacted.mock.calls.map(
      ([writes]) => writes.filter(({ op, table }) => op === 'delete' && table !== 'history').length,
    );
    expect(deletes.filter((count) => count > 0)).toEqual([80, 2]);
    expect(await placesOf(rig)).toEqual([]);
  });

  it('stay below the bytes that a transaction may have, with room for the ids', async () => {
    const { rig } = brokenStage();
    for (let index = 0; index < 16; index++) await rig.client.enqueue(work, { text: 'x'.repeat(258_500) });
    await rig.drain();
    await rig.clock.advance(1_000);
    const deleted: number[] = [];
    const tables: Tables = {
      ...shortPages(rig.tables),
      query: rig.tables.query.bind(rig.tables),
      scan: rig.tables.scan.bind(rig.tables),
      transact: async (...given) => {
        deleted.push(given[0].filter(({ op, table }) => op === 'delete' && table === 'deadLetters').length);
        return rig.tables.transact(...given);
      },
    };
    await createAdminOver({ ...rig.deps, tables }).erase({ type: 'work' }, told);
    expect(deleted.filter((count) => count > 0)).toEqual([13, 3]);
  });

  it('are followed by a count of all schedules', async () => {
    const { rig, admin } = brokenStage();
    void rig;
    for (let index = 0; index < 101; index++) {
      await admin.schedules.put(defineSchedule(`nightly-${index}`, { job: work, payload: {}, every: 'PT1H' }));
    }
    expect(await admin.erase({ type: 'work' })).toMatchObject({ schedules: 101 });
  });
});

describe('the error group of erased dead letters', () => {
  it('is closed although its count was too high', async () => {
    const { rig, admin } = await deadLetters(1);
    const [group] = (await admin.errorGroups({ type: 'work' })).groups;
    const key = { pk: 'error-groups', sk: group?.fingerprint ?? '' };
    await rig.tables.write({ op: 'update', table: 'control', key, set: {}, add: { seen: 3 } });
    await rig.clock.advance(2 * 60_000);
    await admin.erase({ type: 'work' }, told);
    expect((await admin.errorGroups({ type: 'work' })).groups).toEqual([]);
  });
});
