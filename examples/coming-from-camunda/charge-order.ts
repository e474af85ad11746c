import * as z from 'zod/mini';
import { createTestKit } from '../../testing/index.ts';
import { defineJob, NonRetryableError } from '../../shared/index.ts';

// What was in the process model:
//
//   <serviceTask id="chargeOrder" camunda:asyncBefore="true" camunda:jobPriority="${order.vip ? 10 : 0}">
//     <camunda:failedJobRetryTimeCycle>PT10M,PT17M,PT20M</camunda:failedJobRetryTimeCycle>
//   </serviceTask>
//
// asyncBefore is the job itself, exclusive is its group, and the process instance's id is the correlation id.

/** Charges an order: four tries in all, and never two at once for one order. */
export const chargeOrder = defineJob('order.charge', {
  payload: z.object({ orderId: z.string(), vip: z.boolean() }),
  retry: 'PT10M,PT17M,PT20M',
  priority: ({ vip }) => (vip ? 10 : 0),
  group: ({ orderId }) => orderId,
});

/** The payment provider's answers, one per try; the last one repeats. */
export type Answer = 'paid' | 'down' | 'card refused';

/** One line for each thing that an operator of Camunda's cockpit would have seen. */
export async function runChargeOrder(answers: readonly Answer[]): Promise<readonly string[]> {
  const story: string[] = [];
  let asked = 0;
  const kit = createTestKit([
    chargeOrder.handle(({ job }) => {
      const answer = answers[Math.min(asked++, answers.length - 1)];
      story.push(`${job.dueAt.toISOString().slice(11, 19)} try ${job.attempt}: ${answer}`);
      // An incident at once, regardless of retries: FlowableUnrecoverableJobException, or retries set to 0.
      if (answer === 'card refused') throw new NonRetryableError('The card was refused.');
      if (answer === 'down') throw new Error('The provider is down.');
    }),
  ]);
  const { id } = await kit.client.enqueue(chargeOrder, { orderId: 'o-1', vip: true }, { correlationId: 'process-4711' });
  await kit.advance('PT2H');
  const [dead] = kit.deadLetters(chargeOrder);
  story.push(dead === undefined ? `${(await kit.job(id))?.state}` : `incident: ${dead.error?.message}`);
  if (dead !== undefined) {
    asked = answers.length - 1;
    // managementService.setJobRetries(jobId, 1) after the cause was repaired
    story.push(`redrive: ${await kit.admin.redrive(id)}`);
  }
  return story;
}
