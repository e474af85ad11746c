import * as z from 'zod/mini';
import { defineJob, JobCancelledError } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** Exports the data of a customer, chapter by chapter. */
export const exportData = defineJob('data.export', { payload: z.object({ customer: z.string(), chapters: z.number() }) });

const CHAPTER_MS = 60_000;

/** Cancels exports in every way, and returns the results. */
export async function runExports(): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    exportData.handle(async ({ payload, signal }) => {
      for (let chapter = 1; chapter <= payload.chapters; chapter++) {
        await kit.clock.wait(CHAPTER_MS, signal);
        if (signal.aborted) {
          const { reason, by } = signal.reason as JobCancelledError;
          story.push(`${payload.customer}: stopped in chapter ${chapter}, files removed (${reason}, ${by})`);
          signal.throwIfAborted();
        }
        story.push(`${payload.customer}: chapter ${chapter}`);
      }
    }),
  ]);
  const start = (customer: string, chapters: number, delay = 'PT0S'): Promise<{ readonly id: string }> =>
    kit.client.enqueue(exportData, { customer, chapters }, { key: customer, tenant: 'acme', delay });

  // By id, while it runs; waits until it is known whether the cancel won.
  const { id } = await start('anna', 5);
  const running = kit.drain();
  await kit.clock.advance(CHAPTER_MS);
  const answer = kit.client.cancel(id, { reason: 'asked by phone', actor: 'support', wait: 'PT30S' });
  await kit.advance('PT30S');
  story.push(`anna: ${await answer}`);
  await running;

  // Too late: the outcome says so.
  const bert = await start('bert', 1);
  const finishing = kit.drain();
  await kit.clock.advance(CHAPTER_MS);
  await finishing;
  story.push(`bert: ${await kit.client.cancel(bert.id, { wait: 'PT30S' })}`);

  // By key, while it waits.
  await start('carl', 1, 'P1D');
  story.push(`carl: ${(await kit.client.cancelByKey(exportData, 'carl', { tenant: 'acme' })).outcome}`);

  // All of a tenant: first a dry run, then for real.
  for (const customer of ['dora', 'emil', 'fred']) await start(customer, 1, 'PT1H');
  const { found } = await kit.admin.cancelWhere({ tenant: 'acme' }, { dryRun: true });
  const report = await kit.admin.cancelWhere({ tenant: 'acme', type: exportData.name }, { reason: 'contract ended', actor: 'billing' });
  story.push(`acme: ${found} found, ${report.cancelled} cancelled, ${kit.enqueued().length} left`);
  return story;
}
