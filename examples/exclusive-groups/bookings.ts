import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const booking = z.object({ account: z.string(), amount: z.number() });

/** Bookings of one account run one after another, in the order in which they were enqueued; those of others run beside them. */
export const book = defineJob('account.book', { payload: booking, group: ({ account }) => account });

/** A statement belongs to the account of the booking that enqueued it: it inherits the group, so that no booking runs meanwhile. */
export const printStatement = defineJob('account.statement', { payload: z.object({ of: z.string() }), inheritGroup: true });

/** Runs some bookings and returns what an operator and the accounts saw. */
export async function runBookings(): Promise<readonly string[]> {
  const story: string[] = [];
  const balances = new Map<string, number>();
  const kit = createTestKit([
    book.handle(async ({ payload: { account, amount }, job }) => {
      // Read, compute, write: safe without a transaction, because no other job books on this account meanwhile.
      const balance = balances.get(account) ?? 0;
      const { groups } = await kit.admin.blockedGroups();
      for (const { group, heldBy, waiting } of groups) story.push(`${group} is held by ${heldBy?.type}, ${waiting} wait`);
      balances.set(account, balance + amount);
      story.push(`${account} ${balance} -> ${balance + amount}${job.group === account ? '' : ' (?)'}`);
      if (amount === 5) await kit.client.enqueue(printStatement, { of: account });
    }),
    printStatement.handle(({ payload, job }) => void story.push(`statement of ${payload.of}, in group ${job.group ?? 'none'}`)),
  ]);
  await kit.client.enqueueMany(book, [
    { account: 'alice', amount: 10 },
    { account: 'alice', amount: -3 },
    { account: 'alice', amount: 5 },
  ]);
  await kit.drain();
  // A label: this one only counts, and may run beside the bookings of the account.
  const { id } = await kit.client.enqueue(book, { account: 'alice', amount: 0 }, { exclusive: false });
  await kit.drain();
  story.push(`label: ${(await kit.job(id))?.state}`);
  return story;
}
