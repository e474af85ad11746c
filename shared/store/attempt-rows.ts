import type { AttemptRecord } from '../job/attempt.ts';
import { defined } from '../job/defined.ts';
import { RowUnreadableError } from '../job/errors.ts';
import { isJobId, type JobId } from '../job/job-id.ts';
import type { Row, RowKey } from '../ports/tables.ts';
import { decodeError, encodeError } from './job-codec.ts';
import { rowCodec } from './row-codec.ts';
import { historyKey } from './rows.ts';

const DAY_SECONDS = 86_400;
const MARK = '#attempt#';

/** Key of an attempt: next to the job's row in History, so that one query by the job's id finds all of them in order. */
export function attemptKey(jobId: JobId, run: number): RowKey {
  return { ...historyKey(jobId), id: `${jobId}${MARK}${String(run).padStart(10, '0')}` };
}

/** Whether a row of History is an attempt's, and not a job's. */
export function isAttemptRow(row: Row): boolean {
  return String(row['id']).includes(MARK);
}

const ATTEMPT = rowCodec({
  jobId: 'text',
  run: 'number~',
  type: 'text',
  worker: 'text',
  tenant: 'text~',
  attempt: 'number~',
  outcome: 'text',
  requestId: 'text',
  reason: 'text~',
  version: 'text~',
  log: 'text~',
  startedAt: 'instant',
  endedAt: 'instant',
});

/** Row of an attempt; TTL removes it `days` after it ended. The same attempt always gives the same key. */
export function attemptRow(record: AttemptRecord, days: number): Row {
  return {
    ...ATTEMPT.encode(record),
    ...(record.error === undefined ? {} : encodeError(record.error)),
    ...attemptKey(record.jobId, record.run),
    expiresAt: Math.floor(record.endedAt / 1000) + days * DAY_SECONDS,
  };
}

/** Reads an attempt's row. Throws RowUnreadableError, naming the attribute. */
export function decodeAttempt(row: Row): AttemptRecord {
  const { outcome, ...fields } = ATTEMPT.decode(row);
  if (!isJobId(fields.jobId)) throw new RowUnreadableError('jobId', fields.jobId);
  return {
    ...fields,
    run: Number(row['run']),
    attempt: Number(row['attempt']),
    outcome: outcome as AttemptRecord['outcome'],
    ...defined({ error: decodeError(row) }),
  };
}
