import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { shardOf, shardsOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { timerKey } from '../../shared/store/rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });

/** Timers of one shard that are due one after another from `dueAt` on. */
async function scheduleInShard(rig: Rig, shard: string, dueAt: number, count: number): Promise<void> {
  for (let n = 0, scheduled = 0; scheduled < count; n++) {
    const id = rig.client.newId({ runAt: dueAt + n });
    if (shardOf(id) !== shard) continue;
    await rig.client.enqueue(work, {}, { id });
    scheduled++;
  }
}

describe('the acquirer with a timer in trouble', () => {
  it('fires those behind one that is too large to fire', async () => {
    const rig = new Rig({ settings: { timerPageSize: 5 } });
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    const row = await rig.tables.get('timers', timerKey(id));
    // As large as a row can be: the row of Jobs, which has a lease too, would be larger.
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, note: 'x'.repeat(400 * 1024 - 600) } });
    await scheduleInShard(rig, shardOf(id), rig.clock.now() + HOUR + 1_000, 10);
    await rig.clock.advance(70 * MINUTE);
    for (let tick = 0; tick < 5; tick++) {
      await rig.fire();
      await rig.clock.advance(MINUTE);
    }
    expect((await rig.counts()).jobs).toBeGreaterThanOrEqual(10);
  });

  it('fires one whose due time was edited in place, by the key of its row', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    const dueAt = new Date(rig.clock.now() + 30 * MINUTE).toISOString();
    await rig.tables.write({ op: 'update', table: 'timers', key: timerKey(id), set: { dueAt }, add: { rev: 1 } });
    await rig.clock.advance(HOUR);
    expect((await rig.fire()).fired).toBe(1);
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 0, deadLetters: 0 });
  });
});

describe('the acquirer with a store in trouble', () => {
  it('tells what it fired although it cannot give its lock back', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    rig.faults.next(aimAt('delete', 'control'), 'unavailable');
    expect(await rig.fire()).toMatchObject({ fired: 1, failed: 0 });
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  it('calls a shard unfinished whose last page was cut off by the deadline', async () => {
    const rig = new Rig({ settings: { parallelTransactions: 1, parallelShards: 1 } });
    const share = { acquirer: 0, of: 64 };
    const [shard = ''] = shardsOf(share.of, share.acquirer);
    await scheduleInShard(rig, shard, rig.clock.now() + HOUR, 60);
    await rig.clock.advance(HOUR + MINUTE);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      const outcome = await transact(...args);
      await rig.clock.advance(56_000);
      return outcome;
    };
    expect(await rig.fire(share)).toMatchObject({ fired: 50, unfinished: 1 });
    rig.tables.transact = transact;
    expect(await rig.fire(share)).toMatchObject({ fired: 10, unfinished: 0 });
  });
});

describe('the heartbeat of the acquirer', () => {
  const beats = (rig: Rig): number => rig.journal.gauges.filter(({ name }) => name === 'acquirer-heartbeat').length;

  it('is there when nothing was due, and when one shard of many failed', async () => {
    const rig = new Rig();
    await rig.fire();
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      if (asked.partition === '07') throw new StoreUnavailableError('test', new Error('throttled'));
      return query(asked);
    };
    expect(await rig.fire()).toMatchObject({ failed: 1 });
    expect(beats(rig)).toBe(2);
  });

  it('is missing, and the run fails, when no shard could be looked at', async () => {
    const rig = new Rig();
    rig.tables.query = async () => {
      throw new StoreUnavailableError('test', new Error('no access'));
    };
    await expect(rig.fire()).rejects.toThrow(StoreUnavailableError);
    expect(beats(rig)).toBe(0);
    expect(rig.journal.count('store-failed')).toBe(64);
  });
});

describe('the acquirer with a timer that can neither be read nor set aside', () => {
  it('fires those behind it all the same', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.tables.write({ op: 'update', table: 'timers', key: timerKey(id), set: { priority: 'high' } });
    await scheduleInShard(rig, shardOf(id), rig.clock.now() + HOUR + 1_000, 3);
    await rig.clock.advance(HOUR + MINUTE);
    rig.faults.next(aimAt('put', 'deadLetters'), 'unavailable', 5);
    expect(await rig.fire()).toMatchObject({ fired: 3, failed: 0 });
    expect(await rig.counts()).toMatchObject({ jobs: 3, timers: 1, deadLetters: 0 });
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'quarantine' }));
  });
});
