import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const payload = z.object({ to: z.string() });

/** What one worker did for everybody. */
const sendBefore = defineJob('notify', { payload });

/** Mail has a worker of its own now, under a name of its own. */
const sendMail = defineJob('mail.send', { payload, worker: 'mail' });

/** Moves what waits to the new worker: counts first, then one job alone, and the rest when that one has completed. */
export async function splitMail(): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    sendBefore.handle(() => void story.push('the old worker sent it')),
    sendMail.handle(({ payload }) => void story.push(`the mail worker wrote to ${payload.to}`)),
  ]);
  for (const to of ['anna', 'ben']) await kit.client.enqueue(sendBefore, { to });
  const move = { verb: 'move', type: 'mail.send', worker: 'mail' } as const;
  const { matched } = await kit.admin.bulk(move, { type: 'notify' }, { dryRun: true });
  story.push(`${matched} jobs would be moved`);
  const report = await kit.admin.bulk(move, { type: 'notify' }, { ratePerSecond: 100, reason: 'mail has a worker of its own' });
  story.push(`${report.status}: ${report.done} moved`);
  await kit.drain();
  const [entry] = await kit.admin.audit();
  story.push(`audit: ${entry?.verb}, ${entry?.reason}`);
  return story;
}
