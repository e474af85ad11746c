import { describe, expect, it } from 'vitest';
import { isOnlyCounted, judge } from '../../../functions/sweeper/judge.ts';
import { sweepRow } from '../../../functions/sweeper/sweep-row.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
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
    expect(await sweepRow({ ...rig.deps, backlog: rig.hints }, { explains }, row ?? {})).toMatchObject({ swept: 'left', waitingMs: 0 });
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

  it('only counts a ready job whose lease is valid and that is not overdue', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    const [row] = await rig.rows('jobs');
    const job = decodeLeasedJob(row ?? {});
    const counted = (now: number, change: Partial<typeof job> = {}): boolean => isOnlyCounted({ ...job, ...change }, 2_000, now);
    expect(counted(job.dueAt + 59_999)).toBe(true);
    expect(counted(job.dueAt + 60_000)).toBe(false);
    expect(counted(job.lockExpiresAt + 1_999, { dueAt: job.lockExpiresAt })).toBe(true);
    expect(counted(job.lockExpiresAt + 2_000, { dueAt: job.lockExpiresAt })).toBe(false);
    expect(counted(job.dueAt, { lockOwner: 'run/x' })).toBe(false);
  });

  it('tells no wait of a job that is only counted, or is not due', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    const [row = {}] = await rig.rows('jobs');
    const explains = async (): Promise<boolean> => true;
    await rig.clock.advance(10_000);
    const waits = async (lockExpiresIn: number, dueIn: number): Promise<number> => {
      const at = (ms: number): string => new Date(rig.clock.now() + ms).toISOString();
      const swept = await sweepRow(
        { ...rig.deps, backlog: rig.hints },
        { explains },
        { ...row, lockExpiresAt: at(lockExpiresIn), dueAt: at(dueIn) },
      );
      return swept.waitingMs;
    };
    expect(await waits(-1_999, -10_000)).toBe(0);
    expect(await waits(-2_000, -10_000)).toBe(10_000);
    expect(await waits(-2_000, 10_000)).toBe(0);
  });
});
