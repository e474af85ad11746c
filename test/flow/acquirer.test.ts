import { describe, expect, it } from 'vitest';
import { shardOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { acquireLockKey, lockRow } from '../../shared/store/control-rows.ts';
import { packFirings, firing } from '../../shared/store/fire.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const MINUTE = 60_000;
const remind = defineJob('remind', { payload: anyPayload });

describe('the acquirer', () => {
  it('fires what is due within the horizon with a delayed hint, and leaves the rest', async () => {
    const started: number[] = [];
    const rig: Rig = new Rig({ handlers: [remind.handle(() => void started.push(rig.clock.now()))], settings: { delayHorizonMs: 1_000 } });
    const start = rig.clock.now();
    await rig.client.enqueue(remind, {}, { delay: 4 * MINUTE + 200 });
    await rig.client.enqueue(remind, {}, { delay: 6 * MINUTE });
    expect(await rig.fire()).toMatchObject({ fired: 1, lagMs: 0 });
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 1 });
    expect(rig.hints.nextVisibleAt()).toBe(start + 4 * MINUTE + 1_000);
    await rig.clock.advance(4 * MINUTE + 1_000);
    await rig.drain();
    expect(started).toEqual([start + 4 * MINUTE + 1_000]);
  });

  it('reads every page of a shard, in due order, and counts each timer once under doubled ticks', async () => {
    const rig = new Rig({ settings: { timerPageSize: 7 } });
    await rig.client.enqueueMany(
      remind,
      Array.from({ length: 500 }, (_, n) => ({ n })),
      { delay: 'PT1H' },
    );
    await rig.clock.advance(60 * MINUTE);
    let fired = 0;
    // A store that is slow to answer makes a tick leave a shard to the next one.
    for (let tick = 0; tick < (ON_DYNAMO ? 5 : 1) && fired < 500; tick++)
      for (const one of await Promise.all([rig.fire(), rig.fire()])) fired += one.fired;
    expect(fired).toBe(500);
    expect(await rig.counts()).toMatchObject({ jobs: 500, timers: 0 });
  });

  it('quarantines a row that cannot be read and fires its neighbours', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(remind, {}, { delay: 'PT1H' });
    const shard = shardOf(id);
    await rig.tables.write({ op: 'put', table: 'timers', row: { shard, due: '2026-01-01T00:30:00.000Z#garbage', what: 'is this' } });
    await rig.clock.advance(60 * MINUTE);
    expect((await rig.fire()).fired).toBe(1);
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 0, deadLetters: 1 });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ reason: 'unreadable', from: 'timers' });
  });

  it('leaves a shard alone whose lock another acquirer holds, and takes one over that expired', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(remind, {}, { delay: 'PT1H' });
    await rig.clock.advance(60 * MINUTE);
    await rig.tables.write({
      op: 'put',
      table: 'control',
      row: lockRow(acquireLockKey(shardOf(id)), 'acquirer/other', { now: rig.clock.now(), expiresAt: rig.clock.now() + MINUTE }),
    });
    expect((await rig.fire()).fired).toBe(0);
    await rig.clock.advance(MINUTE);
    expect((await rig.fire()).fired).toBe(1);
  });

  it('splits the shards among several acquirers without gap or overlap', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(
      remind,
      Array.from({ length: 200 }, () => ({})),
      { delay: 'PT1H' },
    );
    await rig.clock.advance(60 * MINUTE);
    const reports = [];
    for (const acquirer of [0, 1, 2]) reports.push(await rig.fire({ acquirer, of: 3 }));
    expect(reports.reduce((sum, { fired }) => sum + fired, 0)).toBe(200);
    expect(Math.min(...reports.map(({ fired }) => fired))).toBeGreaterThan(30);
  });

  it('packs at most 100 actions and 3.5 MB into a transaction (fire-page-too-big)', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(
      remind,
      Array.from({ length: 30 }, () => ({ text: 'x'.repeat(250_000) })),
      { delay: 'PT1H' },
    );
    await rig.client.enqueueMany(
      remind,
      Array.from({ length: 120 }, () => ({})),
      { delay: 'PT1H' },
    );
    const timers = (await rig.rows('timers')).map(decodeJob);
    const pages = packFirings(timers.map((timer) => firing(timer, { token: 't', now: rig.clock.now(), redispatchAfterMs: 1 })));
    expect(pages.flat()).toHaveLength(150);
    for (const page of pages) {
      expect(page.length).toBeLessThanOrEqual(50);
      expect(JSON.stringify(page.map(({ row }) => row)).length).toBeLessThan(3.6 * 1024 * 1024);
    }
    await rig.clock.advance(60 * MINUTE);
    expect((await rig.fire()).fired).toBe(150);
  });

  it('stops before its deadline and says what it left', async () => {
    const rig = new Rig({ settings: { parallelShards: 1 } });
    await rig.client.enqueueMany(
      remind,
      Array.from({ length: 100 }, () => ({})),
      { delay: 'PT1H' },
    );
    await rig.clock.advance(60 * MINUTE);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      await rig.clock.advance(5_000);
      return query(asked);
    };
    const report = await rig.fire();
    expect(report.unfinished).toBeGreaterThan(0);
    expect(report.fired).toBeLessThan(100);
  });
});
