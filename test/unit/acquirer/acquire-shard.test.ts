import { describe, expect, it } from 'vitest';
import { acquireShard, type ShardResult } from '../../../functions/acquirer/acquire-shard.ts';
import { shardOf } from '../../../shared/job/job-id.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { faultyRig, type FaultyRig } from '../../support/faulty-rig.ts';
import { aimAt } from '../../support/faulty-tables.ts';
import { anyPayload, type RigOptions } from '../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SHARD = '07';
const work = defineJob('work', { payload: anyPayload });

/** A rig with timers of one shard that are due after so many milliseconds each. */
async function timersIn(delays: readonly number[], settings: RigOptions['settings'] = {}): Promise<FaultyRig> {
  const rig = faultyRig({ settings });
  for (const delay of delays) {
    let id = rig.client.newId({ delay });
    while (shardOf(id) !== SHARD) id = rig.client.newId({ delay });
    await rig.client.enqueue(work, {}, { id });
  }
  return rig;
}

const acquire = async (rig: FaultyRig, { lockMs = 2 * MINUTE, deps = {} } = {}): Promise<ShardResult> =>
  acquireShard({ ...rig.deps, ...deps }, SHARD, { stopAt: rig.clock.now() + MINUTE, lockUntil: rig.clock.now() + lockMs });

describe('a shard', () => {
  it('is not locked while nothing of it is due', async () => {
    const rig = await timersIn([HOUR]);
    rig.faults.next(() => true, 'unavailable');
    expect(await acquire(rig)).toEqual({ fired: 0, lagMs: 0, complete: true });
  });

  it('keeps what is due later, though it lies behind what is due now', async () => {
    const rig = await timersIn([HOUR, 3 * HOUR]);
    await rig.clock.advance(HOUR);
    expect(await acquire(rig)).toMatchObject({ fired: 1 });
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 1 });
  });

  it('is looked at by one of two acquirers that come at once', async () => {
    const rig = await timersIn([HOUR]);
    await rig.clock.advance(HOUR);
    const others: ShardResult[] = [];
    rig.faults.before(aimAt('delete', 'timers'), async () => others.push(await acquire(rig)));
    expect(await acquire(rig)).toMatchObject({ fired: 1 });
    expect(others).toMatchObject([{ fired: 0 }]);
  });

  it('whose lock ended too soon has each of its timers fired by one of two acquirers', async () => {
    const rig = await timersIn([HOUR]);
    await rig.clock.advance(HOUR);
    const others: ShardResult[] = [];
    rig.faults.before(aimAt('delete', 'timers'), async () => others.push(await acquire(rig)));
    expect(await acquire(rig, { lockMs: 0 })).toMatchObject({ fired: 0 });
    expect(others).toMatchObject([{ fired: 1 }]);
  });

  it('tells how late its latest timer was, whichever page it was on', async () => {
    const rig = await timersIn([HOUR, HOUR + 20 * SECOND], { timerPageSize: 1 });
    await rig.clock.advance(HOUR + MINUTE);
    expect(await acquire(rig)).toEqual({ fired: 2, lagMs: MINUTE, complete: true });
  });

  it('has its writes spread over time, each as large as what it takes of the shard', async () => {
    const rig = await timersIn([HOUR, HOUR]);
    await rig.clock.advance(HOUR);
    const taken: number[] = [];
    const pace = { take: async (units: number) => void taken.push(units) };
    expect(await acquire(rig, { deps: { newPace: () => pace } })).toMatchObject({ fired: 2 });
    expect(taken).toEqual([4]);
  });
});
