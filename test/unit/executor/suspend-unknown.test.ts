import { expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { noHandlerDelayMs } from '../../../functions/executor/gates/admit.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const settings = { noHandlerFirstRetryMs: 1_000, noHandlerMaxRetryMs: 60_000 };

it('a job without a handler is tried again after twice the time each time, up to a bound', () => {
  expect([0, 1, 5, 6, 5_000].map((tries) => noHandlerDelayMs(tries, settings))).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
});

it('a job without a handler says how often it was tried', async () => {
  const rig = new Rig();
  await rig.client.enqueue(defineJob('new', { payload: anyPayload }), {});
  await rig.drain();
  expect(await rig.rows('suspended')).toMatchObject([{ tries: 1, noHandlerTries: 1 }]);
});
