import { randomBytes } from 'node:crypto';
import { makeJobId, shardOf } from '../../shared/job/job-id.ts';
import { type Item, readyRow, waitingRow } from '../frame/bare-job-row.ts';
import type { Order } from './orders.ts';

const TYPE = 'order.ship';

/** The row of a ready job. */
export const bareJob = (payload: Order, now: number): Item => readyRow({ type: TYPE, payload }, now);

/** The row of a ready job under an id that the executor takes. */
export function bareReady(order: Order, now: number): Item {
  return { ...bareJob(order, now), id: { S: makeJobId(now, randomBytes(10)) } };
}

/** The row of a timer in a given shard, as the acquirer reads it too. */
export function bareTimer(payload: Order, dueAt: number, shard: string): Item {
  let id = '';
  do id = makeJobId(dueAt, randomBytes(10));
  while (shardOf(id) !== shard);
  const job = waitingRow({ type: TYPE, payload }, { id, kind: 'timer', dueAt });
  return { ...job, rev: { N: '1' }, dispatches: { N: '0' }, shard: { S: shard }, due: { S: `${new Date(dueAt).toISOString()}#${id}` } };
}
