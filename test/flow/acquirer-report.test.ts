import { describe, expect, it } from 'vitest';
import { shardOf, shardsOf } from '../../shared/job/job-id.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { acquireLockKey, heartbeatKey } from '../../shared/store/control-rows.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { listingKey, PARKED_LISTING, parkedRow } from '../../shared/store/parked-rows.ts';
import { timerKey } from '../../shared/store/rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { schedule, scheduled } from '../support/scheduled-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });
/** A share of two shards. */
const PAIR = { acquirer: 0, of: 32 };

/** Schedules a job whose timer lies in the given shard. */
async function scheduleIn(rig: Rig, shard: string, dueAt: number): Promise<void> {
  for (;;) {
    const id = rig.client.newId({ runAt: dueAt });
    if (shardOf(id) === shard) return void (await rig.client.enqueue(work, {}, { id }));
  }
}

describe('a run of the acquirer', () => {
  it('locks a shard until its own invocation is dead on every clock', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    const deadlineAt = rig.clock.now() + MINUTE;
    const locked: unknown[] = [];
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      locked.push((await rig.tables.get('control', acquireLockKey(shardOf(id))))?.['lockExpiresAt']);
      return transact(...args);
    };
    await rig.fire();
    expect(locked).toEqual([iso(deadlineAt + rig.deployment.settings.leaseMarginMs)]);
  });

  it('gives the queue of a timer that it fires as long to deliver it as that of any other job', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    await rig.fire();
    const [row] = await rig.rows('jobs');
    expect(row?.['lockExpiresAt']).toBe(iso(rig.clock.now() + rig.deployment.settings.redispatchAfterMs));
  });

  it.each([0, 1])('tells how late the latest timer was, in whichever shard (%i) it lay', async (late) => {
    const rig = new Rig({ settings: { parallelShards: 1 } });
    const shards = shardsOf(PAIR.of, PAIR.acquirer);
    const due = rig.clock.now() + HOUR;
    await scheduleIn(rig, shards[late] ?? '', due);
    await scheduleIn(rig, shards[1 - late] ?? '', due + 9 * MINUTE);
    await rig.clock.advance(HOUR + 10 * MINUTE);
    expect(await rig.fire(PAIR)).toMatchObject({ fired: 2, lagMs: 10 * MINUTE });
    const fired = rig.journal.entries.filter(({ event }) => event === 'timers-fired');
    expect(new Set(fired.map(({ timerLagMs }) => timerLagMs))).toEqual(new Set([MINUTE, 10 * MINUTE]));
  });

  it('tells how late the latest timer was, also when that is an occurrence behind others of its shard', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 2 * * *' }));
    const [timer] = await rig.rows('timers');
    const due = Date.parse('2026-03-01T02:00:00Z');
    await scheduleIn(rig, String(timer?.['shard']), due + 9 * MINUTE);
    await rig.clock.advance(due + 10 * MINUTE - rig.clock.now());
    expect(await rig.fire()).toMatchObject({ fired: 2, lagMs: 10 * MINUTE });
  });

  it('tells in its heartbeat how many parked jobs it released', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    const timer = await rig.tables.get('timers', timerKey(id));
    await rig.tables.write({ op: 'delete', table: 'timers', key: timerKey(id) });
    await rig.tables.write({ op: 'put', table: 'timers', row: parkedRow(decodeJob(timer ?? {}), 'a', rig.clock.now()) });
    const row = { ...listingKey('a'), limit: 'two', n: 2, seenAt: iso(rig.clock.now()) };
    await rig.tables.write({ op: 'put', table: 'control', row });
    await rig.fire();
    expect(await rig.tables.get('control', heartbeatKey('acquirer/0'))).toMatchObject({ released: 1 });
  });

  it('calls shards unfinished that it had no time to look at', async () => {
    const rig = new Rig({ settings: { parallelShards: 1 } });
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      await rig.clock.advance(56_000);
      return query(asked);
    };
    expect(await rig.fire(PAIR)).toMatchObject({ fired: 0, unfinished: 1 });
  });

  it('releases no parked job when its time is over', async () => {
    const rig = new Rig();
    const query = rig.tables.query.bind(rig.tables);
    let looked = 0;
    rig.tables.query = async (asked) => {
      if (asked.table === 'timers') looked += Number(asked.partition.startsWith('limit#'));
      else if (asked.partition === PARKED_LISTING) await rig.clock.advance(56_000);
      return query(asked);
    };
    const row = { ...listingKey('a'), limit: 'two', n: 2, seenAt: iso(rig.clock.now()) };
    await rig.tables.write({ op: 'put', table: 'control', row });
    await rig.fire();
    expect(looked).toBe(0);
  });
});

describe('a run of the acquirer that fired what was due succeeds', () => {
  it('although the limits with parked jobs cannot be read, and journals that', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    rig.faults.unreadable((read) => read.op === 'query' && read.partition === PARKED_LISTING);
    expect(await rig.fire()).toMatchObject({ fired: 1, released: 0 });
    expect(rig.journal.gauges).toContainEqual({ name: 'acquirer-heartbeat', value: 1 });
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'parked' }));
  });

  it('although its heartbeat cannot be written, and journals that', async () => {
    const rig = faultyRig();
    rig.faults.next(aimAt('put', 'control'), 'unavailable');
    expect(await rig.fire()).toMatchObject({ fired: 0, failed: 0 });
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'heartbeat' }));
  });
});
