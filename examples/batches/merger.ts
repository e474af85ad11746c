import * as z from 'zod/mini';
import type { Admin } from '../../operate/index.ts';
import { defineJob, fail, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** One parcel of a delivery round. */
export const sendParcel = defineJob('parcel.send', { payload: z.object({ to: z.string() }), retry: 'never' });
/** The result of a round. */
export const reportRound = defineJob('round.report', { payload: z.object({ round: z.string() }) });

/** Gives a batch to another tenant: first the batch and its callbacks, then its jobs that do not run. Returns how many followed. */
export async function handOver(admin: Admin, batch: string, { from, to }: { readonly from: string; readonly to: string }): Promise<number> {
  const why = { actor: 'anna', reason: `${from} belongs to ${to} now` };
  await admin.changeBatchTenant(batch, to, why);
  const { done } = await admin.bulk({ verb: 'change-tenant', tenant: to }, { batch, tenant: from }, why);
  return done;
}

/** A customer is bought while its parcels are under way; tells whose job each of them was, and who got the report. */
export async function runMerger(): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    sendParcel.handle(({ payload: { to }, job }) => {
      if (to === 'nowhere') return fail('no such address');
      story.push(`${job.tenant} sends to ${to}`);
      return undefined;
    }),
    reportRound.handle(async ({ payload: { round }, job }) => {
      const batch = await kit.client.batch(job.callbackOf ?? '');
      story.push(`${job.tenant} reads of ${round}: ${batch?.succeeded} of ${batch?.total} sent, batch of ${batch?.tenant}`);
    }),
  ]);
  const { client, admin } = kit;
  const batch = await client.createBatch({ tenant: 'acme', onCompleted: followUp(reportRound, { round: 'Monday' }) });
  await batch.enqueue(sendParcel, { to: 'alice' });
  const lost = await batch.enqueue(sendParcel, { to: 'nowhere' });
  await kit.drain();
  for (const to of ['bob', 'carol']) await batch.enqueue(sendParcel, { to }, { delay: 'PT1H' });
  await batch.seal();

  story.push(`alone: ${await admin.changeTenant(lost.id, 'globex')}`);
  story.push(`${await handOver(admin, batch.id, { from: 'acme', to: 'globex' })} jobs follow`);
  await kit.advance('PT1H');
  await kit.drain();
  return story;
}
