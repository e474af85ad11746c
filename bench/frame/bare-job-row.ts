import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as it goes over the wire. */
export type Item = Record<string, AttributeValue>;

/** The values of a bare row; the payload is stored as JSON. */
export interface BareJob {
  readonly type: string;
  readonly payload: object;
}

const REDISPATCH_MS = 360_000;

/** The row of a ready job, written by hand with the same attributes as ours. */
export function readyRow(job: BareJob, now: number): Item {
  return {
    ...waitingRow(job, { id: randomUUID(), kind: 'async', dueAt: now }),
    rev: { N: '1' },
    dispatches: { N: '1' },
    lockOwner: { S: `queue/${randomUUID()}` },
    lockExpiresAt: { S: new Date(now + REDISPATCH_MS).toISOString() },
  };
}

/** The common attributes of ready jobs and timers. */
export function waitingRow(
  { type, payload }: BareJob,
  { id, kind, dueAt }: { readonly id: string; readonly kind: string; readonly dueAt: number },
): Item {
  const at = { S: new Date(dueAt).toISOString() };
  return {
    id: { S: id },
    type: { S: type },
    payload: { S: JSON.stringify(payload) },
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
