import * as z from 'zod/mini';
import { createJobClient, defineJob } from '../../shared/index.ts';

/** A code is of no use ten minutes after it was asked for. */
export const sendCode = defineJob('code.send', {
  payload: z.object({ phone: z.string() }),
  startWithin: 'PT10M',
});

/** An offer ends at a given time. Somebody should know of each that was not sent. */
export const sendOffer = defineJob('offer.send', {
  payload: z.object({ customer: z.string() }),
  onExpiry: 'dead-letter',
});

const jobs = createJobClient();

/** Sends an offer, unless it is over before an executor is free. */
export async function offer(customer: string, endsAt: Date): Promise<string> {
  const { id } = await jobs.enqueue(sendOffer, { customer }, { startBy: endsAt });
  return id;
}
