import { describe, expect, it } from 'vitest';
import { judge } from '../../../functions/sweeper/judge.ts';
import { sweepRow } from '../../../functions/sweeper/sweep-row.ts';
import { defineJob } from '../../../shared/core/job-type.ts';
import { decodeLeasedJob } from '../../../shared/store/job-codec.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

describe('the sweeper', () => {
  it('leaves a lease alone that may still run by another clock', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    const [row] = await rig.rows('jobs');
    const job = decodeLeasedJob(row ?? {});
    const terms = { crashLimit: 3, skewMs: 2_000 };
    expect(judge(job, terms, job.lockExpiresAt + 1_999).verb).toBe('leave');
    expect(judge(job, terms, job.lockExpiresAt + 2_000).verb).toBe('redispatch');
  });

  it('leaves the lease of a job that waits for long alone until it has run out by every clock', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    rig.hints.visible = async () => undefined;
    const [row] = await rig.rows('jobs');
    const { lockExpiresAt } = decodeLeasedJob(row ?? {});
    const { sweepSkewMs } = rig.deployment.settings;
    await rig.clock.advance(lockExpiresAt + sweepSkewMs - 1 - rig.clock.now());
    expect((await rig.sweep()).counts).toEqual({ left: 1 });
    await rig.clock.advance(1);
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
  });

  it('counts a job as waiting for no time before it is due', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {}, { delay: 30_000 });
    const [row] = await rig.rows('jobs');
    const explains = async (): Promise<boolean> => true;
    expect(await sweepRow({ ...rig.deps, backlog: rig.hints }, { explains }, row ?? {})).toEqual({ swept: 'left', waitingMs: 0 });
  });

  it.each(['lockOwner', 'lockExpiresAt'])('finds a row whose %s is no text: no comparison would', async (attribute) => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, [{}, {}, {}, {}, {}]);
    const rows = await rig.rows('jobs');
    const values = [undefined, 5, -5, true, false];
    for (const [n, { [attribute]: _gone, ...row }] of rows.entries()) {
      const value = values[n];
      await rig.tables.write({ op: 'put', table: 'jobs', row: { ...row, ...(value === undefined ? {} : { [attribute]: value }) } });
    }
    expect((await rig.sweep()).counts).toEqual({ quarantined: 5 });
  });
});
