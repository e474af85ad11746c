import { expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const HOUR = 3_600_000;
const FIFO = { worker: 'default', lane: '', kind: 'fifo' } as const;
const JOBS = 20;

const grouped = defineJob('grouped', { payload: anyPayload, group: () => 'large' });

/** SQS looks for a free group only among the first 120,000 messages, and keeps a message for four days. */
it('a group has one message for each job that waits, and at most one more for each further day', async () => {
  const rig = new Rig({ handlers: [grouped.handle(() => undefined)] });
  await rig.client.enqueueMany(
    grouped,
    Array.from({ length: JOBS }, () => ({})),
  );
  const byDay: (number | undefined)[] = [];
  for (let hour = 0; hour <= 4 * 24; hour++) {
    if (hour % 24 === 0) byDay.push(await rig.hints.visible(FIFO));
    await rig.clock.advance(HOUR);
    await rig.sweep();
  }
  expect(byDay).toHaveLength(5);
  expect(byDay.slice(0, 2)).toEqual([JOBS, JOBS]);
  byDay.forEach((count = Number.NaN, day) => expect(count).toBeLessThanOrEqual(JOBS * Math.max(1, day)));
});
