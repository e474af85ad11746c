import * as z from 'zod/mini';
import { createJobClient, defineJob } from '../../shared/index.ts';

/** Changes of one account are applied in their order. One that fails holds back those behind it. */
export const applyChange = defineJob('account.change', {
  payload: z.object({ account: z.string(), change: z.string() }),
  retry: 'R2/PT10M',
  group: ({ account }) => ({ name: account, onFailure: 'block' }),
});

const jobs = createJobClient();

/** Enqueues changes of an account, in the order of the array. */
export async function change(account: string, changes: readonly string[]): Promise<void> {
  await jobs.enqueueMany(
    applyChange,
    changes.map((one) => ({ account, change: one })),
  );
}
