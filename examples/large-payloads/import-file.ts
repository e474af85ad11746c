import * as z from 'zod/mini';
import { claimCheck, defineJob } from '../../shared/index.ts';
import { s3Payloads } from '../../shared/adapters/s3/index.ts';
import { createMemoryPayloads, createTestKit } from '../../testing/index.ts';

const FILE = z.object({ name: z.string(), text: z.string() });

/** The job types of the shop, over the bucket of the deployment or, in tests, a store in memory. */
export const jobsOver = (store = s3Payloads()) => ({
  importFile: defineJob('file.import', { payload: FILE, codec: claimCheck({ store }) }),
});

/** What producers, workers and operators' sessions import. The bucket is looked for when it is first needed. */
export const { importFile } = jobsOver();

/** Imports a file of 5 MB, and tells what its row holds and what is left in the store when the job has ended. */
export async function importOne(): Promise<string> {
  const payloads = createMemoryPayloads();
  const inTests = jobsOver(payloads).importFile;
  let lines = 0;
  const kit = createTestKit([inTests.handle(({ payload }) => void (lines = payload.text.split('\n').length))]);
  const { id } = await kit.client.enqueue(inTests, { name: 'prices.csv', text: 'apple,1.20\n'.repeat(450_000) });
  const stored = await kit.admin.find(id);
  const kept = payloads.kept().length;
  await kit.drain();
  return `row: ${stored?.codec}, ${(stored?.payload ?? '').length < 300}; ${kept} in the store; ${lines} lines; then ${payloads.kept().length}`;
}
