import { describe, expect, it } from 'vitest';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { batchLeafKey } from '../../../../shared/store/control-rows.ts';
import { settleBatch } from '../../../../shared/features/batches/store/settle-batch.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { aimAt, type Aim } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';

const MINUTE = 60_000;
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const child = defineJob('child', { payload: anyPayload });
const told = defineJob('told', { payload: anyPayload });
const tells: Aim = (writes) => writes.length > 1 && aimAt('put', 'jobs')(writes);

/** A batch of which every child ended, and nothing is told yet. */
async function ended() {
  const rig = faultyRig();
  const { id } = await rig.client.enqueueBatch(child, [{}], { onCompleted: followUp(told, {}) });
  await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 0), set: {}, add: { succeeded: 1 } });
  rig.hints.receive(QUEUE, 10);
  rig.journal.entries.length = 0;
  const callbacks = async () => (await rig.rows('jobs')).filter(({ type }) => type === 'told');
  return { rig, id, callbacks, settle: async () => settleBatch(rig.deps, id) };
}

describe('the end of a batch that is told', () => {
  it('enqueues its job with a message and a journal entry, under a lease of its own', async () => {
    const [one, other] = [await ended(), await ended()];
    await other.rig.clock.advance(1);
    other.rig.deps.entropy.token();
    for (const { rig, settle } of [one, other]) {
      expect(await settle()).toMatchObject({ head: { fired: expect.arrayContaining(['completed']) as unknown } });
      expect(rig.hints.receive(QUEUE, 10)).toHaveLength(1);
      expect(rig.journal.entries).toMatchObject([{ event: 'enqueued', job: { type: 'told' } }]);
    }
    const owners = [...(await one.callbacks()), ...(await other.callbacks())].map(({ lockOwner }) => String(lockOwner));
    expect(owners).toEqual([expect.stringMatching(/^queue\/0\/[\w-]{22}$/), expect.stringMatching(/^queue\/0\/[\w-]{22}$/)]);
    expect(new Set(owners).size).toBe(2);
  });

  it('and whose reply is lost is asked again: its message is sent all the same', async () => {
    const { rig, settle, callbacks } = await ended();
    rig.faults.next(tells, 'lost-for-good');
    rig.faults.before(tells, async () => rig.clock.advance(MINUTE));
    expect(await settle()).toMatchObject({ head: { fired: expect.arrayContaining(['completed']) as unknown } });
    expect([rig.faults.pending(), (await callbacks()).length, rig.hints.receive(QUEUE, 10).length]).toEqual([0, 1, 1]);
  });

  it('is not asked again once the store may have forgotten its token', async () => {
    const { rig, settle } = await ended();
    rig.faults.next(tells, 'unavailable');
    rig.faults.before(tells, async () => rig.clock.advance(10 * MINUTE));
    await expect(settle()).rejects.toThrow(StoreUnavailableError);
  });
});
