import type { Pool } from 'pg';
import * as z from 'zod/mini';
import { createJobClient, defineJob, deploymentEnvironment, type JobClient, type OwnPorts } from '../../shared/index.ts';
import type { RouteQueues, Tables, Write } from '../../shared/adapters/own/index.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { createPostgresTables } from './postgres-tables.ts';
import { transactIn } from './transaction.ts';

/** One worker, `default`, with one lane and a queue of grouped jobs. */
export const environment: Record<string, string> = deploymentEnvironment({ worker: 'default' });

export const packOrder = defineJob('order.pack', { payload: z.object({ orderId: z.string() }), retry: 'R3/PT1S' });

/** The store and the queue of a process. */
export function postgresPorts(pool: Pool): Required<OwnPorts> & { readonly tables: Tables } {
  const workers = JSON.parse(environment['NIGHTCREW_WORKERS'] ?? '{}') as Record<string, RouteQueues>;
  const hints = createPostgresHints(pool, workers);
  return { tables: createPostgresTables(pool), hints, source: hints };
}

/** Writes an order and the job that packs it in one transaction of PostgreSQL: both or neither. */
export async function placeOrder(pool: Pool, orderId: string): Promise<string> {
  const jobs: JobClient<Write> = createJobClient({ environment, ports: postgresPorts(pool) });
  const prepared = jobs.prepare(packOrder, { orderId });
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO orders (id) VALUES ($1)', [orderId]);
    const { applied } = await transactIn(client, prepared.items, `order/${orderId}`);
    if (!applied) throw new Error(`Order ${orderId} has its job already.`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  await prepared.dispatch();
  return prepared.id;
}
