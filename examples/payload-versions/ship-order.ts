import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** What the last release deployed: one article for each order. */
const shipOrderBefore = defineJob('order.ship', { payload: z.object({ article: z.string() }) });

/** What this release deploys: several articles, each with a quantity. Jobs of the last release lie in the tables still. */
export const shipOrder = defineJob('order.ship', {
  payload: z.object({ lines: z.array(z.object({ article: z.string(), quantity: z.number() })) }),
  version: 3,
  upcast: {
    // Version 2, for a week in spring, had a list without quantities.
    1: ({ article }: { article: string }) => ({ articles: [article] }),
    2: ({ articles }: { articles: readonly string[] }) => ({ lines: articles.map((article) => ({ article, quantity: 1 })) }),
  },
});

/** Ships an order that the last release enqueued, and tells what its handler got. */
export async function shipOlderOrder(): Promise<string> {
  const shipped: string[] = [];
  const kit = createTestKit([
    shipOrder.handle(({ payload, job }) => void shipped.push(`stored in version ${job.schemaVersion}, handled ${JSON.stringify(payload)}`)),
  ]);
  await kit.client.enqueue(shipOrderBefore, { article: 'lamp' });
  await kit.drain();
  return shipped.join();
}

/** The release was rolled back: the last release meets an order of the new one, and leaves it to wait. */
export async function meetNewerOrder(): Promise<string> {
  const kit = createTestKit([shipOrderBefore.handle(() => undefined)]);
  const { id } = await kit.client.enqueue(shipOrder, { lines: [] });
  await kit.drain();
  const job = await kit.admin.find(id);
  return `${job?.state} for ${job?.cause}, ${job?.attempts} attempts`;
}
