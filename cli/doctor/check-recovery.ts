import type { Deployment } from '../../shared/config/environment.ts';
import { lengthText } from '../text/time.ts';
import { type Check, unseen } from './check.ts';

const BYTES_PER_READ_UNIT = 8_192;

/** How long a job may wait after its executor died or its hint was lost. */
export const recoveryCheck: Check = {
  name: 'recovery',
  run: async ({ deployment, looks }) => {
    const what = { check: 'recovery', subject: 'a job that was dropped' };
    const look = await looks.table(deployment.tables.jobs);
    const not = unseen(look, what);
    if (not !== undefined || !('saw' in look)) return not === undefined ? [] : [{ ...not, status: 'unknown' }];
    const { leaseMs, passMs, boundMs } = recoveryBound(deployment, look.saw.sizeBytes);
    return [
      {
        ...what,
        status: 'ok',
        says:
          `is back in its queue within ${lengthText(boundMs)}: a lease of ${lengthText(leaseMs)} and a full pass of the sweeper of ${lengthText(passMs)}; ` +
          `where its message was lost and others wait in the queue, up to ${lengthText(deployment.settings.backlogPatienceMs)} later, or a few times as long as jobs of that queue wait`,
      },
    ];
  },
};

/** Pure: the longest lease an executor of any worker can hold, and how long the sweeper takes to see the whole table once. */
export function recoveryBound(
  { settings, workers }: Pick<Deployment, 'settings' | 'workers'>,
  jobsBytes: number,
): { readonly leaseMs: number; readonly passMs: number; readonly boundMs: number } {
  const { executorTimeoutMs, leaseMarginMs, sweepReadUnits, sweeperIntervalMs, sweepSkewMs } = settings;
  const runs = Math.max(1, Math.ceil(jobsBytes / BYTES_PER_READ_UNIT / sweepReadUnits));
  const leaseMs = Math.max(...[...workers.values()].map(({ timeoutMs = executorTimeoutMs }) => timeoutMs)) + leaseMarginMs;
  // A lease may end right after its row was passed.
  const passMs = runs * sweeperIntervalMs + sweepSkewMs;
  return { leaseMs, passMs, boundMs: leaseMs + passMs };
}
