import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload });

/** A rig on whose clock waits are over at once, and the waits. */
function hasty(rig: Rig): readonly number[] {
  const waits: number[] = [];
  rig.clock.wait = async (ms) => (waits.push(ms), rig.clock.advance(ms));
  return waits;
}

describe('a client that waits', () => {
  it('for a cancelled job to end looks less and less often, at least every two seconds, and not beyond its time', async () => {
    const rig = new Rig();
    const waits = hasty(rig);
    const { id } = await rig.client.enqueue(work, {});
    await take(rig, id, HOUR);
    expect(await rig.client.cancel(id, { wait: 'PT10S' })).toBe('cancel-requested');
    expect(waits).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 250]);
  });

  it('for a result looks less and less often, at least every five seconds, and not beyond its time', async () => {
    const rig = new Rig();
    const waits = hasty(rig);
    const { id } = await rig.client.enqueue(work, {});
    expect(await rig.client.waitForResult(id)).toEqual({ outcome: 'timeout', state: 'ready' });
    expect(waits.slice(0, 4)).toEqual([200, 300, 450, 675]);
    expect(Math.max(...waits)).toBe(5 * SECOND);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(30 * SECOND);
  });
});

it('a child that was cancelled is cancelled although its batch cannot be looked at', async () => {
  const rig = faultyRig();
  const batch = await rig.client.createBatch();
  const { id } = await batch.enqueue(work, {});
  rig.faults.unreadable((read) => read.op === 'query' && read.table === 'control');
  expect(await rig.client.cancel(id)).toBe('cancelled');
  expect(rig.faults.pending()).toBe(0);
});
