import { type Attribute, type AttributeName, ATTRIBUTES, attributesThat } from '../job/attributes.ts';
import { defined } from '../job/defined.ts';
import { RowUnreadableError } from '../job/errors.ts';
import { iso, storedInstant } from '../job/instant.ts';
import {
  type DeadLetter,
  type FinishedJob,
  FRESH_COUNTERS,
  type Job,
  type JobError,
  type LeasedJob,
  type Scalar,
  type SuspendedJob,
} from '../job/job.ts';
import { isJobId } from '../job/job-id.ts';
import { LIMITS } from '../job/size-limits.ts';
import { ranAlone, waitsAlone } from '../job/lock-owner.ts';
import type { Row } from '../ports/tables.ts';
import { rowBytes } from './row-bytes.ts';

const JOB_REQUIRED = attributesThat(({ required }) => required === true);

/** Attributes that belong to a table's keys and indexes, to TTL or to the flattened error: written by the codec, never part of a job. */
const DERIVED = new Set([
  'shard',
  'due',
  'typeLeaf',
  'fingerprintLeaf',
  'causeLeaf',
  'day',
  'expiresAt',
  'errorName',
  'errorMessage',
  'errorStack',
  'errorAt',
]);

const kindOf = (name: string): Attribute['kind'] | undefined =>
  Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name as AttributeName].kind : undefined;

/** The error of a job as flat attributes, so that an operator sees them in the AWS console and a list can project them. */
export function encodeError(error: JobError): Row {
  return {
    errorName: error.name,
    errorMessage: error.message,
    ...defined({ errorStack: error.stack }),
    errorAt: iso(error.at),
  };
}

/** The error of a row, if it holds a whole one. */
export function decodeError(row: Row): JobError | undefined {
  const { errorName: name, errorMessage: message, errorStack: stack, errorAt: at } = row;
  if (typeof name !== 'string' || typeof message !== 'string' || typeof at !== 'string') return undefined;
  return { name, message, ...(typeof stack === 'string' ? { stack } : {}), at: scalarOf('errorAt', 'instant', at) as number };
}

/** The attributes of a job without those of its table; absent properties stay absent. */
export function encodeJob(job: Job): Row {
  const { error, extra, ...fields } = job;
  const row: Record<string, Scalar> = { ...extra };
  for (const [name, value] of Object.entries(fields) as [string, Scalar | undefined][]) {
    if (value === undefined) continue;
    row[name] = kindOf(name) === 'instant' ? iso(value as number) : value;
  }
  return { ...row, ...(error === undefined ? {} : encodeError(error)) };
}

/** The kinds of stored attributes; a `number` may be a fraction. */
export type FieldKind = Attribute['kind'] | 'number';

/**
 * What an attribute holds; undefined if it is not of its kind. A count goes into hints and sums, so it must be one; a fraction or a number
 * beyond the safe ones would come back as another.
 */
export function readAs(kind: FieldKind, value: Scalar | undefined): Scalar | undefined {
  if (kind === 'instant') return storedInstant(value);
  if (kind === 'integer') return Number.isSafeInteger(value) ? value : undefined;
  if (kind === 'count') return Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined;
  return typeof value === (kind === 'flag' ? 'boolean' : kind === 'number' ? 'number' : 'string') ? value : undefined;
}

function scalarOf(name: string, kind: FieldKind, value: Scalar): Scalar {
  const read = readAs(kind, value);
  if (read === undefined) throw new RowUnreadableError(name, value);
  return read;
}

/** The attributes of a row that are known, and the others. A store gives attributes in any order: of several unreadable ones the first by name is named. */
function split(row: Row, names = Object.keys(row)): { readonly fields: Record<string, unknown>; readonly extra: Record<string, Scalar> } {
  const fields: Record<string, unknown> = {};
  const extra: Record<string, Scalar> = {};
  for (const name of names) {
    const value = row[name] as Scalar;
    const kind = kindOf(name);
    if (kind !== undefined) fields[name] = scalarOf(name, kind, value);
    else if (!DERIVED.has(name)) extra[name] = value;
  }
  return { fields, extra };
}

function readable(row: Row): ReturnType<typeof split> {
  try {
    return split(row);
  } catch {
    return split(row, Object.keys(row).toSorted());
  }
}

function decode(row: Row, required: readonly string[]): Record<string, unknown> {
  const { fields, extra } = readable(row);
  for (const name of required) if (fields[name] === undefined) throw new RowUnreadableError(name, 'nothing');
  // A type is part of keys, and a key has a limit.
  if (String(fields['type']).length > LIMITS.typeChars) throw new RowUnreadableError('type', fields['type']);
  if (!isJobId(fields['id'])) throw new RowUnreadableError('id', String(fields['id']));
  const error = decodeError(row);
  // Without a version it is the first.
  fields['schemaVersion'] ??= 1;
  return { ...fields, ...defined({ error }), ...(Object.keys(extra).length > 0 ? { extra } : {}) };
}

/** A row that will move on: with an error and a reason it must still fit into an item, or its job could never be buried. */
function decodeLiving(row: Row, required: readonly string[]): Record<string, unknown> {
  const bytes = rowBytes(row);
  if (bytes > LIMITS.itemBytes) throw new RowUnreadableError('payload', `${bytes} bytes with the rest of its row`);
  return decode(row, required);
}

/** A row of Timers. Throws RowUnreadableError, naming the attribute. */
export function decodeJob(row: Row): Job {
  return decodeLiving(row, JOB_REQUIRED) as unknown as Job;
}

/** A row of Jobs. */
export function decodeLeasedJob(row: Row): LeasedJob {
  return decodeLiving(row, [...JOB_REQUIRED, 'lockOwner', 'lockExpiresAt']) as unknown as LeasedJob;
}

/** What a dead letter shows for what its unreadable row did not hold. No payload is an empty string, which is no JSON. */
const UNREADABLE: Row = {
  payload: '',
  kind: 'async',
  worker: '',
  lane: '',
  priority: 0,
  rev: 0,
  ...FRESH_COUNTERS,
  dispatches: 0,
  chainDepth: 0,
  schemaVersion: 1,
};

/** Decodes a row of DeadLetters. One that holds an unreadable row in `raw` has zeros for missing values. */
export function decodeDeadLetter(row: Row): DeadLetter {
  if (row['reason'] === 'unreadable') {
    const failedAt = row['failedAt'] ?? '';
    return decode({ ...UNREADABLE, dueAt: failedAt, createdAt: failedAt, ...row }, ['id', 'type', 'failedAt']) as unknown as DeadLetter;
  }
  return decode(row, [...JOB_REQUIRED, 'reason', 'failedAt', 'fingerprint']) as unknown as DeadLetter;
}

/** A row of Suspended. */
export function decodeSuspendedJob(row: Row): SuspendedJob {
  return decodeLiving(row, [...JOB_REQUIRED, 'cause', 'suspendedAt', 'from']) as unknown as SuspendedJob;
}

/** A row of History. */
export function decodeFinishedJob(row: Row): FinishedJob {
  return decode(row, ['id', 'type', 'outcome', 'finishedAt']) as unknown as FinishedJob;
}

/** The job without its lease. */
export function withoutLease(job: Job | LeasedJob): Job {
  const { lockOwner: _owner, lockExpiresAt: _expires, ...rest } = job as LeasedJob;
  return rest;
}

/** The job as it was before it was suspended. */
export function withoutSuspension(suspended: SuspendedJob): Job {
  const { cause: _cause, suspendedAt: _at, from: _from, tryAt: _tryAt, tries: _tries, reason: _reason, ...job } = suspended;
  return job;
}

/** A job that was not started, as it goes to another table or to its queue again: with the mark that it may have killed a process. */
export function unstarted(job: LeasedJob): Job {
  const { lockOwner } = job;
  return { ...withoutLease(job), ...(ranAlone(lockOwner) || waitsAlone(lockOwner) ? { alone: true } : {}) };
}
