import { expect, it } from 'vitest';
import { backlogCheck } from '../../../../functions/sweeper/backlog-check.ts';
import type { LeasedJob } from '../../../../shared/job/job.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import { nothingSeen } from '../../../../functions/sweeper/waiting-jobs.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const queues = { lanes: { fast: 'q/fast', slow: 'q/slow' }, from: { fast: 5 } };

it('messages explain a wait only in their own queue: another lane or another worker has its own', async () => {
  const rig = new Rig({ workers: { default: queues, other: { ...queues, lanes: { fast: 'o/fast', slow: 'o/slow' } } } });
  const work = defineJob('work', { payload: anyPayload });
  await rig.client.enqueue(work, {});
  const [row] = await rig.rows('jobs');
  const job = decodeLeasedJob(row ?? {});
  const asked: string[] = [];
  const backlog = {
    visible: async ({ worker, lane }: { worker: string; lane: string }) => {
      asked.push(`${worker}/${lane}`);
      return worker === 'default' && lane === 'slow' ? 2 : 0;
    },
  };
  const check = backlogCheck({ ...rig.deps, backlog }, []);
  const explains = async (of: Partial<LeasedJob>): Promise<boolean> => check.explains({ ...job, ...of }, job.lockExpiresAt + 1);
  expect(await explains({ lane: 'slow' })).toBe(true);
  expect(await explains({ lane: 'fast' })).toBe(false);
  expect(await explains({ lane: 'slow', worker: 'other' })).toBe(false);
  expect(await explains({ lane: 'slow' })).toBe(true);
  expect(await explains({ lane: 'slow' })).toBe(false);
  expect(asked.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['default/fast', 'default/slow', 'other/slow']);
});

it('messages of jobs that no pass told apart explain a wait that is shorter than the patience, and none that is longer', async () => {
  const rig = new Rig();
  await rig.client.enqueue(defineJob('work', { payload: anyPayload }), {});
  const [row] = await rig.rows('jobs');
  const job = decodeLeasedJob(row ?? {});
  const { backlogPatienceMs } = rig.deps.deployment.settings;
  const explains = async (waitedMs: number): Promise<boolean> => {
    const now = job.lockExpiresAt + waitedMs;
    return backlogCheck({ ...rig.deps, backlog: { visible: async () => 5 } }, [{ ...nothingSeen(now), unseen: 5 }]).explains(job, now);
  };
  expect(await explains(backlogPatienceMs)).toBe(true);
  expect(await explains(backlogPatienceMs + 1)).toBe(false);
});
