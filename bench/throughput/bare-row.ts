import { randomBytes, randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { makeJobId, shardOf } from '../../shared/core/job-id.ts';
import type { Order } from './orders.ts';

/** An item as it goes over the wire. */
export type Item = Record<string, AttributeValue>;

const REDISPATCH_MS = 360_000;

/** The row of a ready job, attribute by attribute what ours holds: leases and counters are what such a row is written for. */
export function bareJob(order: Order, now: number): Item {
  return {
    ...waiting(order, { id: randomUUID(), kind: 'async', dueAt: now }),
    rev: { N: '1' },
    dispatches: { N: '1' },
    lockOwner: { S: `queue/${randomUUID()}` },
    lockExpiresAt: { S: new Date(now + REDISPATCH_MS).toISOString() },
  };
}

/** The row of a ready job under an id that the executor takes. */
export function bareReady(order: Order, now: number): Item {
  return { ...bareJob(order, now), id: { S: makeJobId(now, randomBytes(10)) } };
}

/** The row of a timer in a given shard, as the acquirer reads it too. */
export function bareTimer(order: Order, dueAt: number, shard: string): Item {
  let id = '';
  do id = makeJobId(dueAt, randomBytes(10));
  while (shardOf(id) !== shard);
  const job = waiting(order, { id, kind: 'timer', dueAt });
  return { ...job, rev: { N: '1' }, dispatches: { N: '0' }, shard: { S: shard }, due: { S: `${new Date(dueAt).toISOString()}#${id}` } };
}

function waiting(order: Order, { id, kind, dueAt }: { readonly id: string; readonly kind: string; readonly dueAt: number }): Item {
  const at = { S: new Date(dueAt).toISOString() };
  return {
    id: { S: id },
    type: { S: 'order.ship' },
    payload: { S: JSON.stringify(order) },
    kind: { S: kind },
    worker: { S: 'default' },
    lane: { S: 'default' },
    dueAt: at,
    createdAt: at,
    priority: { N: '0' },
    starts: { N: '0' },
    failures: { N: '0' },
    crashes: { N: '0' },
    snoozes: { N: '0' },
    chainDepth: { N: '0' },
    schemaVersion: { N: '1' },
  };
}
