import type { DeadLetter, FinishedJob, LeasedJob, SuspendedJob } from './job.ts';

/** An attribute of a job row that its codec takes as it is: all but the error and what is carried along. */
export type AttributeName = Exclude<keyof LeasedJob | keyof DeadLetter | keyof SuspendedJob | keyof FinishedJob, 'error' | 'extra'>;

/** One attribute, as the codec of rows and the views of operators need it. */
export interface Attribute {
  readonly kind: 'text' | 'integer' | 'count' | 'instant' | 'flag';
  /** Every job that has not finished has it. */
  readonly required?: true;
  /** Part of an operator's view: `single` only where one job is asked for, `data` for programs alone. */
  readonly shown?: 'always' | 'single' | 'data';
  /** The name of what the view makes of it. */
  readonly as?: string;
}

/** Every attribute of any kind of job row, in the order in which people are shown them. A row may have others: they are carried along in `extra`. */
export const ATTRIBUTES: Readonly<Record<AttributeName, Attribute>> = {
  id: { kind: 'text', required: true },
  type: { kind: 'text', required: true, shown: 'always' },
  payload: { kind: 'text', required: true },
  codec: { kind: 'text', shown: 'data' },
  kind: { kind: 'text', required: true, shown: 'data' },
  worker: { kind: 'text', required: true, shown: 'always' },
  lane: { kind: 'text', required: true, shown: 'always' },
  priority: { kind: 'integer', required: true, shown: 'always' },
  priorityFrom: { kind: 'text', shown: 'always' },
  tenant: { kind: 'text', shown: 'always' },
  group: { kind: 'text', shown: 'always' },
  exclusive: { kind: 'flag', shown: 'always' },
  groupPlace: { kind: 'text', as: 'holdsBack' },
  inheritGroup: { kind: 'flag' },
  correlationId: { kind: 'text', shown: 'always' },
  key: { kind: 'text', shown: 'single' },
  keyExpiresAt: { kind: 'instant', shown: 'single' },
  traceparent: { kind: 'text', shown: 'always' },
  tracestate: { kind: 'text' },
  batch: { kind: 'text', shown: 'always' },
  batchLeaf: { kind: 'count' },
  callbackOf: { kind: 'text', shown: 'always' },
  schedule: { kind: 'text', shown: 'always' },
  nominalAt: { kind: 'instant', shown: 'always' },
  backfill: { kind: 'flag', shown: 'always' },
  dueAt: { kind: 'instant', required: true, shown: 'always' },
  startBy: { kind: 'instant', shown: 'single' },
  createdAt: { kind: 'instant', required: true, shown: 'always' },
  startedAt: { kind: 'instant', shown: 'always' },
  finishedAt: { kind: 'instant', shown: 'always' },
  outcome: { kind: 'text', shown: 'always' },
  starts: { kind: 'count', required: true, as: 'attempts' },
  failures: { kind: 'count', required: true, shown: 'always' },
  crashes: { kind: 'count', required: true, shown: 'always' },
  alone: { kind: 'flag' },
  snoozes: { kind: 'count', required: true, shown: 'always' },
  continuations: { kind: 'count', shown: 'always' },
  dispatches: { kind: 'count', required: true, shown: 'always' },
  chainDepth: { kind: 'count', required: true, shown: 'always' },
  rev: { kind: 'count', required: true, shown: 'always' },
  retry: { kind: 'text', shown: 'always' },
  repeat: { kind: 'text' },
  triesLimit: { kind: 'count', shown: 'always' },
  runNow: { kind: 'flag', shown: 'always' },
  booked: { kind: 'text' },
  progress: { kind: 'count', shown: 'always' },
  progressText: { kind: 'text', shown: 'always' },
  cancelRequested: { kind: 'flag', shown: 'always' },
  cancelReason: { kind: 'text', shown: 'always' },
  cancelledBy: { kind: 'text', shown: 'always' },
  lockOwner: { kind: 'text', shown: 'always' },
  lockExpiresAt: { kind: 'instant', shown: 'always' },
  cause: { kind: 'text', shown: 'always' },
  suspendedAt: { kind: 'instant', shown: 'always' },
  tryAt: { kind: 'instant', shown: 'always' },
  tries: { kind: 'count' },
  from: { kind: 'text' },
  reason: { kind: 'text', shown: 'always' },
  failedAt: { kind: 'instant', shown: 'always' },
  fingerprint: { kind: 'text', shown: 'always' },
  requestId: { kind: 'text', shown: 'always' },
  raw: { kind: 'text' },
  lastErrors: { kind: 'text' },
  state: { kind: 'text' },
  schemaVersion: { kind: 'count' },
};

/** The names of the attributes for which something holds, in order. */
export function attributesThat(holds: (attribute: Attribute) => boolean): readonly AttributeName[] {
  return (Object.keys(ATTRIBUTES) as AttributeName[]).filter((name) => holds(ATTRIBUTES[name]));
}
