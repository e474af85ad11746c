import { expect, it } from 'vitest';
import { backlogCheck } from '../../../functions/sweeper/backlog-check.ts';
import type { LeasedJob } from '../../../shared/core/job.ts';
import { decodeLeasedJob } from '../../../shared/store/job-codec.ts';
import { defineJob } from '../../../shared/core/job-type.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

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
  const check = backlogCheck({ ...rig.deps, backlog });
  const explains = async (of: Partial<LeasedJob>): Promise<boolean> => check.explains({ ...job, ...of }, job.lockExpiresAt + 1);
  expect(await explains({ lane: 'slow' })).toBe(true);
  expect(await explains({ lane: 'fast' })).toBe(false);
  expect(await explains({ lane: 'slow', worker: 'other' })).toBe(false);
  expect(await explains({ lane: 'slow' })).toBe(true);
  expect(await explains({ lane: 'slow' })).toBe(false);
  expect(asked.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['default/fast', 'default/slow', 'other/slow']);
});
