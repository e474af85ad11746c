import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** The lanes of the mail worker: `stack.ts` deploys them, and the kit below runs them in memory. */
export const MAIL_LANES = {
  urgent: { from: 10, maxConcurrency: 20 },
  default: { to: 9 },
};

/** The priority depends on the payload: mail to VIPs goes first. */
export const sendMail = defineJob('mail.send', {
  payload: z.object({ to: z.string(), vip: z.optional(z.boolean()) }),
  worker: 'mail',
  priority: ({ vip }) => (vip === true ? 10 : 0),
});

/** Runs a few mails and returns the order in which they went out. */
export async function runMails(): Promise<readonly string[]> {
  const sent: string[] = [];
  const kit = createTestKit([sendMail.handle(({ payload, job }) => void sent.push(`${payload.to} (${job.priority})`))], {
    workers: { mail: { lanes: MAIL_LANES, timersFirst: true } },
  });
  await kit.client.enqueue(sendMail, { to: 'newsletter reader' });
  await kit.client.enqueue(sendMail, { to: 'newsletter writer' }, { priority: 5 });
  await kit.client.enqueue(sendMail, { to: 'important customer', vip: true });
  // The option goes before the type: this one is in no hurry.
  await kit.client.enqueue(sendMail, { to: 'important customer, birthday', vip: true }, { priority: -1 });
  await kit.drain();
  sent.push('---');
  await kit.client.enqueue(sendMail, { to: 'reminder' }, { delay: 'PT1H' });
  await kit.advance('PT1H');
  return sent;
}
