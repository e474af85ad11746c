import type { Job, LeasedJob } from '../../../shared/job/job.ts';
import { makeJobId } from '../../../shared/job/job-id.ts';

/** Noon of New Year's Day 2026, in epoch milliseconds. */
export const NOON = Date.UTC(2026, 0, 1, 12);

/** A job that was enqueued at noon and claimed once, with overrides. */
export function sampleJob(overrides: Partial<Job> = {}): Job {
  return {
    id: makeJobId(NOON, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
    type: 'invoice.send',
    payload: '{}',
    kind: 'async',
    worker: 'default',
    lane: 'default',
    priority: 0,
    dueAt: NOON,
    createdAt: NOON,
    rev: 2,
    starts: 1,
    failures: 0,
    crashes: 0,
    snoozes: 0,
    dispatches: 1,
    chainDepth: 0,
    schemaVersion: 1,
    ...overrides,
  };
}

/** The same, ready in its queue. */
export function readyJob(overrides: Partial<LeasedJob> = {}): LeasedJob {
  return { ...sampleJob(), lockOwner: 'queue/0/token', lockExpiresAt: NOON + 60_000, ...overrides };
}
