import * as z from 'zod/mini';
import { defineJob, fail, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** One letter of an issue. */
export const sendLetter = defineJob('letter.send', { payload: z.object({ issue: z.string(), to: z.string() }), retry: 'R2/PT1M' });
/** The result of an issue as a whole. */
export const reportIssue = defineJob('issue.report', { payload: z.object({ issue: z.string(), as: z.string() }) });
/** Prepares an issue: it adds letters to its own batch while it runs. */
export const planIssue = defineJob('issue.plan', { payload: z.object({ issue: z.string(), readers: z.array(z.string()) }) });

/** Sends issues as batches in every way, and returns what their callbacks received. */
export async function runNewsletter(): Promise<readonly string[]> {
  const story: string[] = [];
  const moved = new Set(['mallory', 'trudy']);
  const kit = createTestKit([
    sendLetter.handle(({ payload: { to } }) => (moved.has(to) ? fail(`${to} has moved`) : undefined)),
    planIssue.handle(async ({ payload: { issue, readers }, job }) => {
      // Only a job of the batch may do that, and only while it runs: so the batch cannot be complete without them.
      if (job.batch !== undefined) for (const to of readers) await kit.client.enqueue(sendLetter, { issue, to }, { batch: job.batch });
    }),
    reportIssue.handle(async ({ payload: { issue, as }, job }) => {
      const batch = await kit.client.batch(job.callbackOf ?? '');
      story.push(`${issue} ${as}: ${batch?.succeeded} of ${batch?.total} sent, ${batch?.failed} failed, ${batch?.cancelled} cancelled`);
    }),
  ]);
  const tells = (issue: string) => ({
    onCompleted: followUp(reportIssue, { issue, as: 'completed' }),
    onSucceeded: followUp(reportIssue, { issue, as: 'succeeded' }),
    onFailed: followUp(reportIssue, { issue, as: 'failed' }),
  });
  const letters = (issue: string, readers: readonly string[]) => readers.map((to) => ({ issue, to }));

  // All at once: up to 100,000 children in one call.
  await kit.client.enqueueBatch(sendLetter, letters('May', ['alice', 'bob', 'carol']), { name: 'May', ...tells('May') });
  await kit.drain();

  // Piece by piece. No callback runs before seal(), though children do. One failed letter is tolerated.
  const june = await kit.client.createBatch({ ...tells('June'), maxFailures: 1, tenant: 'acme' });
  await june.enqueueMany(sendLetter, letters('June', ['alice', 'mallory']));
  await kit.drain();
  await june.enqueue(planIssue, { issue: 'June', readers: ['bob', 'carol'] });
  await june.seal();
  await kit.drain();

  // Too many failures. Once the cause is repaired a redrive makes it succeed after all.
  const july = await kit.client.enqueueBatch(sendLetter, letters('July', ['alice', 'trudy']), tells('July'));
  await kit.drain();
  moved.clear();
  await kit.admin.redrive(july.ids[1] ?? '');
  await kit.drain();

  // Cancelled before anything was sent.
  const august = await kit.client.enqueueBatch(sendLetter, letters('August', ['alice', 'bob']), tells('August'));
  await kit.client.cancelBatch(august.id);
  await kit.drain();

  // A year is a batch of batches.
  const year = await kit.client.createBatch({ onSucceeded: followUp(reportIssue, { issue: 'the year', as: 'succeeded' }) });
  for (const issue of ['Winter', 'Spring']) await kit.client.enqueueBatch(sendLetter, letters(issue, ['alice']), { parent: year.id });
  await year.seal();
  await kit.drain();
  return story;
}
