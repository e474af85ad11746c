import { expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { completionExtras } from '../../../functions/executor/completion-extras.ts';
import { withinJob } from '../../../shared/ports/job-scope.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const items = (count: number) => Array.from({ length: count }, () => ({ Delete: { TableName: 't', Key: {} } }));
const followUps = (count: number, size: number) =>
  Array.from({ length: count }, () => ({ type: work, payload: { text: 'x'.repeat(size) }, options: {} }) as const);

it('a completion brings along what one transaction takes besides the job’s own rows', async () => {
  const { deps } = new Rig();
  await expect(completionExtras(deps, { transact: items(94) })).resolves.toMatchObject({ followUps: [] });
  await expect(completionExtras(deps, { transact: items(95) })).rejects.toThrow('101 writes');
  await expect(completionExtras(deps, { enqueue: followUps(1, 1), transact: items(94) })).rejects.toThrow('101 writes');
});

it('a completion of a job with a place in its group brings along one write less', async () => {
  const { deps } = new Rig();
  const complete = async (count: number): Promise<unknown> =>
    withinJob({ id: 'a', chainDepth: 0, priority: 0, group: 'g', groupPlace: 'first' }, () =>
      completionExtras(deps, { transact: items(count) }),
    );
  await expect(complete(93)).resolves.toBeDefined();
  await expect(complete(94)).rejects.toThrow('101 writes');
});

it('a completion brings along no more bytes than one transaction takes', async () => {
  const { deps } = new Rig();
  await expect(completionExtras(deps, { enqueue: followUps(13, 250_000) })).resolves.toBeDefined();
  await expect(completionExtras(deps, { enqueue: followUps(15, 250_000) })).rejects.toThrow(/375\d{4} bytes/);
});
