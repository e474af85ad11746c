import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { complete } from '../../shared/index.ts';
import { createAcquirer, createSweeper, runWorker } from '../../functions/index.ts';
import { environment, packOrder, postgresPorts } from './jobs.ts';
import { deleteExpired } from './schema.ts';

/** Everything that runs, in one process: the jobs, and what EventBridge Scheduler starts in a deployment on AWS. Several may run at once. */
export async function runMachine(pool: Pool, signal: AbortSignal, everyMs = 60_000): Promise<void> {
  const options = { environment, ports: postgresPorts(pool) };
  const [acquire, sweep] = [createAcquirer(options), createSweeper(options)];
  const context = () => ({ awsRequestId: randomUUID(), getRemainingTimeInMillis: () => everyMs });
  // The order is packed and its job completed in one transaction.
  const pack = packOrder.handle(({ payload }) =>
    complete({ transact: [{ text: 'UPDATE orders SET packed = packed + 1 WHERE id = $1', values: [payload.orderId] }] }),
  );
  await Promise.all([
    runWorker([pack], { ...options, concurrency: 4, signal }),
    every(everyMs, signal, async () => acquire({}, context())),
    every(everyMs, signal, async () => sweep({}, context())),
    every(3_600_000, signal, async () => deleteExpired(pool)),
  ]);
}

async function every(ms: number, signal: AbortSignal, duty: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    // What one run cannot do, the next one does.
    await duty().catch((error: unknown) => console.error(error));
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
