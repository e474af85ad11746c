import type { JobView } from '../../operate/jobs/job-view.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Schema } from './fields.ts';

const TEXT = { type: 'string' } as const;
const NUMBER = { type: 'integer' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

/** The fields of a job that callers see. The holder of a lock is not among them: only its owner may know it. */
const SHOWN = {
  id: TEXT,
  type: TEXT,
  state: { enum: ['waiting', 'parked', 'suspended', 'ready', 'running', 'dead', 'finished'] },
  worker: TEXT,
  priority: NUMBER,
  group: TEXT,
  tenant: TEXT,
  correlationId: TEXT,
  batch: TEXT,
  dueAt: TIME,
  createdAt: TIME,
  attempts: { ...NUMBER, description: 'How many attempts began.' },
  failures: NUMBER,
  progress: { type: 'number', description: 'Percent.' },
  progressText: TEXT,
  cancelRequested: { type: 'boolean' },
  cancelReason: TEXT,
  error: { type: 'object', description: 'The last failure: `name`, `message`, `at`, and `stack` for a single job.' },
  reason: { ...TEXT, description: 'Of a dead letter: why it died. Of a job at a breakpoint: why it was stopped.' },
  outcome: { enum: ['completed', 'cancelled', 'skipped', 'expired'], description: 'Of a finished job.' },
  startedAt: TIME,
  finishedAt: TIME,
  failedAt: TIME,
} as const satisfies Partial<Record<keyof JobView, Schema>>;

export const JOB_SCHEMA: Schema = {
  type: 'object',
  properties: {
    ...SHOWN,
    lockedUntil: { ...TIME, description: 'Of a running job.' },
    schemaVersion: { ...NUMBER, description: 'Version of the payload. Only of a single job.' },
    payload: { description: 'Only of a single job; of a finished one if History keeps it.' },
  },
  required: ['id', 'type', 'state', 'worker', 'priority', 'dueAt', 'createdAt', 'attempts', 'failures'],
};

/** A job as callers see it. */
export function jobAnswer(view: JobView): Readonly<Record<string, unknown>> {
  const { state, lockExpiresAt, schemaVersion, payload } = view;
  return defined({
    ...Object.fromEntries(Object.keys(SHOWN).map((name) => [name, view[name as keyof typeof SHOWN]])),
    lockedUntil: state === 'running' ? lockExpiresAt : undefined,
    schemaVersion,
    payload: payload === undefined ? undefined : readable(payload),
  });
}

/** A payload that is no JSON is shown as its text. */
function readable(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
