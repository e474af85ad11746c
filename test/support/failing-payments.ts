import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import { anyPayload } from './rig.ts';
import { summingRig } from './summing-rig.ts';

export const pay = defineJob('pay', { payload: anyPayload, retry: 'never' });
export const mail = defineJob('mail', { payload: anyPayload, retry: 'never' });

/** Handlers that fail as their payload says, and a sandbox that sums counts. */
export const failingPayments = () =>
  summingRig({
    handlers: [
      pay.handle(({ payload }) => fail((payload['why'] as string | undefined) ?? 'no')),
      mail.handle(() => fail('mail box is full')),
    ],
  });
