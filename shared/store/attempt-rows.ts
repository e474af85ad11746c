import type { AttemptRecord } from '../job/attempt.ts';
import { defined } from '../job/defined.ts';
import { RowUnreadableError } from '../job/errors.ts';
import { iso, storedInstant } from '../job/instant.ts';
import { isJobId, type JobId } from '../job/job-id.ts';
import type { Row, RowKey } from '../ports/tables.ts';
import { decodeError, encodeError } from './job-codec.ts';
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

/** Row of an attempt; TTL removes it `days` after it ended. The same attempt always gives the same key. */
export function attemptRow(record: AttemptRecord, days: number): Row {
  const { error, startedAt, endedAt, ...rest } = record;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    ...(error === undefined ? {} : encodeError(error)),
    ...attemptKey(record.jobId, record.run),
    expiresAt: Math.floor(endedAt / 1000) + days * DAY_SECONDS,
  };
}

/** Reads an attempt's row. Throws RowUnreadableError, naming the attribute. */
export function decodeAttempt(row: Row): AttemptRecord {
  const text = (name: string): string => {
    const value = row[name];
    if (typeof value !== 'string') throw new RowUnreadableError(name, value);
    return value;
  };
  const instant = (name: string): number => {
    const ms = storedInstant(row[name]);
    if (ms === undefined) throw new RowUnreadableError(name, row[name]);
    return ms;
  };
  const jobId = text('jobId');
  if (!isJobId(jobId)) throw new RowUnreadableError('jobId', jobId);
  const optional = (name: 'tenant' | 'reason' | 'version' | 'log') => (typeof row[name] === 'string' ? { [name]: row[name] } : {});
  const error = decodeError(row);
  return {
    jobId,
    run: Number(row['run']),
    type: text('type'),
    worker: text('worker'),
    attempt: Number(row['attempt']),
    startedAt: instant('startedAt'),
    endedAt: instant('endedAt'),
    outcome: text('outcome') as AttemptRecord['outcome'],
    requestId: text('requestId'),
    ...optional('tenant'),
    ...optional('reason'),
    ...optional('version'),
    ...optional('log'),
    ...defined({ error }),
  };
}
