import { defineJob, defineLimit, fail, snooze } from '../../shared/index.ts';
import { anyPayload } from '../support/rig.ts';

export const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1S' });
export const slow = defineJob('slow', { payload: anyPayload, timeout: 'PT6S' });
export const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });
export const rated = defineJob('rated', { payload: anyPayload, limits: [defineLimit('rated', { rate: 1, per: 'PT2S' })] });
export const outside = defineJob('outside', { payload: anyPayload, worker: 'machine' });
export const stranger = defineJob('stranger', { payload: anyPayload });

/** What the payload tells the handler to do on its first attempts; afterwards it completes. */
export const FIRST: Readonly<Record<string, () => ReturnType<typeof fail>>> = {
  throw: () => {
    throw new Error('asked to');
  },
  fail: () => fail('asked to'),
  'snooze soon': () => snooze('PT1S'),
  'snooze later': () => snooze('PT6S'),
};
