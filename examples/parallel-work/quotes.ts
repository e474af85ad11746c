import * as z from 'zod/mini';
import { complete, defineJob, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const request = z.object({ requestId: z.string() });
const quote = z.object({ requestId: z.string(), carrier: z.string() });

/** All carriers in one job. */
export const askAll = defineJob('quotes.ask-all', { payload: request, retry: 'R3/PT1M' });
/** One carrier. */
export const askOne = defineJob('quotes.ask-one', { payload: quote, retry: 'R3/PT1M' });
/** When every carrier has answered. */
export const choose = defineJob('quotes.choose', { payload: request });

const CARRIERS = ['north', 'east', 'south', 'west'];

/** How often each carrier was asked, and what happened in the end. */
export interface Asked {
  readonly asked: Readonly<Record<string, number>>;
  readonly chosen: number;
}

/** Asks four carriers, of which `south` does not answer at the first time, in one job or as a batch. */
export async function runQuotes(way: 'one job' | 'batch'): Promise<Asked> {
  const asked: Record<string, number> = {};
  let chosen = 0;
  const ask = async (carrier: string): Promise<void> => {
    asked[carrier] = (asked[carrier] ?? 0) + 1;
    if (carrier === 'south' && asked[carrier] === 1) throw new Error('south does not answer');
  };
  const kit = createTestKit([
    askAll.handle(async ({ payload }) => {
      await Promise.all(CARRIERS.map(ask));
      return complete({ enqueue: [followUp(choose, payload)] });
    }),
    askOne.handle(async ({ payload }) => ask(payload.carrier)),
    choose.handle(() => void (chosen += 1)),
  ]);
  const requestId = 'r-1';
  if (way === 'one job') await kit.client.enqueue(askAll, { requestId });
  else {
    const each = CARRIERS.map((carrier) => ({ requestId, carrier }));
    await kit.client.enqueueBatch(askOne, each, { onSucceeded: followUp(choose, { requestId }) });
  }
  await kit.advance('PT5M');
  return { asked, chosen };
}
