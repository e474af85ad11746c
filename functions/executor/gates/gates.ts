import type { Gate } from '../held-job.ts';
import { groupOrderGate } from './group-order.ts';
import { expiryGate } from './expiry.ts';
import { limitsGate } from './limits.ts';
import { cancelledBatchGate } from './cancelled-batch.ts';
import { rulesGate } from './rules.ts';
import { scheduleGate } from './schedule.ts';

/** In the order of evaluation: gates that cost nothing come before gates that write. A plain job passes all but that of the rules on their first line. */
export const GATES: readonly Gate[] = [expiryGate, rulesGate, cancelledBatchGate, scheduleGate, groupOrderGate, limitsGate];
