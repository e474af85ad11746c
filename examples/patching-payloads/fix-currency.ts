import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const charge = defineJob('invoice.charge', {
  payload: z.object({ invoice: z.string(), currency: z.string() }),
  retry: 'never',
});

/** Repairs the payloads of failed jobs: a dry run shows one of them before and after, then one runs first, and the rest when it has completed. */
export async function fixCurrency(): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    charge.handle(({ payload }) => {
      if (payload.currency !== 'EUR') throw new Error(`unknown currency ${payload.currency}`);
      story.push(`${payload.invoice} charged in ${payload.currency}`);
    }),
  ]);
  for (const invoice of ['0041', '0042']) await kit.client.enqueue(charge, { invoice, currency: 'Euro' });
  await kit.drain();
  const { groups } = await kit.admin.errorGroups();
  const filter = { fingerprint: groups[0]?.fingerprint ?? '' };
  const patch = { verb: 'patch', patch: { currency: 'EUR' }, redrive: true } as const;
  const { matched, sample } = await kit.admin.bulk(patch, filter, { dryRun: true });
  story.push(`${matched} dead letters, one of them ${sample?.before} becomes ${sample?.after}`);
  const report = await kit.admin.bulk(patch, filter, { reason: 'the shop sent Euro instead of EUR' });
  story.push(`${report.status}: ${report.done} patched`);
  await kit.drain();
  const [entry] = await kit.admin.audit();
  story.push(`audit: ${entry?.verb}, ${entry?.reason}`);
  return story;
}
