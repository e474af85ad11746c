import * as z from 'zod/mini';
import { defineJob, NonRetryableError, RetryAfterError } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';
import { fail, type OnError, snooze } from '../../functions/index.ts';

class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** The bank is asked again after ten, seventeen and twenty minutes; while it is overloaded more often and less patiently. */
export const settlePayment = defineJob('payment.settle', {
  payload: z.object({ payment: z.string() }),
  retry: 'PT10M,PT17M,PT20M',
  retryOn: { Overloaded: 'R6/PT1M' },
  // A policy by error; undefined leaves it to the two above.
  retryFor: (error, { failures }) => (error instanceof Overloaded && error.message === 'for hours' ? `R${failures + 3}/PT3H` : undefined),
});

/** For all types of a worker, before any policy: a lost connection does not count as a failure, a bug is not retried. */
const onError: OnError = (error) => {
  if (error instanceof TypeError) return fail('a bug');
  return error instanceof Error && error.message === 'connection lost' ? snooze('PT30S') : undefined;
};

const ANSWERS: Readonly<Record<string, () => Error>> = {
  down: () => new Error('bank is down'),
  overloaded: () => new Overloaded('for minutes'),
  'overloaded for hours': () => new Overloaded('for hours'),
  'try at': () => new RetryAfterError('maintenance', 4 * 3_600_000),
  'lost connection': () => new Error('connection lost'),
  'closed account': () => new NonRetryableError('the account is closed'),
  bug: () => new TypeError('amount is undefined'),
};

/** Settles payments with a bank that gives the listed answers, repeating the last one, and returns when each try happened. */
export async function runSettlement(answers: readonly string[], operator?: 'setRetries' | 'redrive'): Promise<readonly string[]> {
  const story: string[] = [];
  let tries = 0;
  const kit = createTestKit(
    [
      settlePayment.handle(({ job }) => {
        const answer = answers[Math.min(tries++, answers.length - 1)] ?? 'paid';
        story.push(`${new Date(kit.clock.now()).toISOString().slice(11, 19)} try ${job.attempt}: ${answer}`);
        const error = ANSWERS[answer]?.();
        if (error !== undefined) throw error;
      }),
    ],
    { onError },
  );
  const { id } = await kit.client.enqueue(settlePayment, { payment: 'p-1' });
  await kit.drain();
  // The bank said that it takes longer today: this one payment gets five more tries than its policy would.
  if (operator === 'setRetries') story.push(`setRetries: ${await kit.admin.setRetries(id, 5)}`);
  await kit.advance('PT12H');
  if (operator === 'redrive') {
    story.push(`redrive: ${await kit.admin.redrive(id, { retries: 1, at: '2026-01-01T20:00:00Z' })}`);
    await kit.advance('PT12H');
  }
  const job = await kit.job(id);
  story.push(job?.state === 'dead' ? `dead: ${job.reason}, ${job.error?.message}` : `${job?.state} with ${job?.failures} failures`);
  return story;
}
