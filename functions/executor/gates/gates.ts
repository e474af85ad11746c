import type { Disposition } from '../requeue.ts';
import type { Batch } from '../batch.ts';
import type { Candidate, Gate } from './gate.ts';
import { limitsGate } from './limits.ts';
import { cancelledBatchGate } from './cancelled-batch.ts';
import { rulesGate } from './rules.ts';
import { scheduleGate } from './schedule.ts';

/** In the order in which they are asked: what costs nothing goes before what writes. */
const GATES: readonly Gate[] = [rulesGate, cancelledBatchGate, scheduleGate, limitsGate];

/** Asks every gate until one stops the job. */
export async function passGates(batch: Batch, candidate: Candidate): Promise<'pass' | Disposition> {
  for (const gate of GATES) {
    const answer = await gate(batch, candidate);
    if (answer !== 'pass') return answer;
  }
  return 'pass';
}
