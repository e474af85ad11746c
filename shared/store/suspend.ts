import { defined } from '../job/defined.ts';
import { iso } from '../job/instant.ts';
import { isOccurrence, type Job, type LeasedJob, type SuspendedJob } from '../job/job.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { leave, type LeftAlone, type PlannedChange } from './change-located.ts';
import { all, heldBy, revIs } from './conditions.ts';
import { heldCauseKey } from './control-rows.ts';
import { unstarted } from './job-codec.ts';
import type { Located } from './locate.ts';
import { asFound, idleJob, removeFound } from './moved-writes.ts';
import { idKey, suspendedRow } from './rows.ts';
import { type CancelAsked, type Lost, transactWhileLeased } from './transact-while-leased.ts';

const NO_HANDLER = 'no-handler#';

/** Cause of jobs that wait for a worker that knows their type. */
export const noHandlerCause = (type: string): string => `${NO_HANDLER}${type}`;

const NEWER_VERSION = 'newer-version#';

/** Cause of jobs that wait for a worker that knows the version of their payload. No index projects the version, so the cause names it. */
export const newerVersionCause = ({ type, schemaVersion }: Pick<Job, 'type' | 'schemaVersion'>): string =>
  `${NEWER_VERSION}${type}@${schemaVersion}`;

/** Whether the payload was too new for the worker that claimed the job. */
export const isNewerVersion = (cause: string): boolean => cause.startsWith(NEWER_VERSION);

/** The version of the payload that a cause names; 1 for any other cause. */
export function versionOfCause(cause: string): number {
  return isNewerVersion(cause) ? Number(cause.slice(cause.lastIndexOf('@') + 1)) : 1;
}

const UNKNOWN_CODEC = 'unknown-codec#';

/** Cause of jobs that wait for a worker that has the codec of their payload. */
export const unknownCodecCause = ({ type, codec = '' }: Pick<Job, 'type' | 'codec'>): string => `${UNKNOWN_CODEC}${type}@${codec}`;

/** Whether the worker that claimed the job did not have the codec of its payload. */
export const isUnknownCodec = (cause: string): boolean => cause.startsWith(UNKNOWN_CODEC);

/** The codec that a cause names, if it names one. */
export function codecOfCause(cause: string): string | undefined {
  return isUnknownCodec(cause) ? cause.slice(cause.lastIndexOf('@') + 1) : undefined;
}

/** Whether jobs of a cause wait for a worker that can run them, not for an operator. */
export const waitsForWorker = (cause: string): boolean => cause.startsWith(NO_HANDLER) || isNewerVersion(cause) || isUnknownCodec(cause);

/** Cause of jobs that an operator stopped one by one: only an operator resumes them. */
export const BREAKPOINT = 'breakpoint';

/** Lists a cause in Control, before a job is moved for it: the sweeper finds the job even if everything stops in between. */
export async function listCause(tables: Tables, cause: string, now: number): Promise<void> {
  await tables.write({ op: 'update', table: 'control', key: heldCauseKey(cause), set: { cause, seenAt: iso(now) } });
}

/** Why a job is suspended; `tryAt` for a cause that is retried automatically. */
export interface SuspendTerms {
  readonly cause: string;
  readonly now: number;
  readonly tryAt?: number;
  readonly tries?: number;
}

/** Parks a running job that never started in Suspended: no counter moves. Its cause must be listed already. */
export async function suspend(
  tables: Tables,
  job: LeasedJob,
  { cause, now, tryAt, tries }: SuspendTerms,
): Promise<{ readonly result: 'suspended' } | Lost | CancelAsked> {
  return transactWhileLeased(tables, job, (current) => {
    const suspended: SuspendedJob = {
      ...unstarted(current),
      // It was claimed but never started.
      starts: current.starts - 1,
      rev: current.rev + 1,
      cause,
      suspendedAt: now,
      from: 'jobs',
      ...defined({ tryAt, tries }),
    };
    return {
      writes: {
        job: { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), revIs(current.rev)) },
        suspended: { op: 'put', table: 'suspended', row: suspendedRow(suspended) },
      },
      result: { result: 'suspended' } as const,
    };
  });
}

/** A job that is suspended as another was. Nothing else of that one stays: what the new one does not say, it does not have. */
export function suspendedLike({ cause, suspendedAt, from, tryAt, tries, reason }: SuspendedJob, job: Job): SuspendedJob {
  return { ...job, cause, suspendedAt, from, ...defined({ tryAt, tries, reason }) };
}

/** An operator suspends a job that does not run, until an operator resumes it. */
export function planBreakpoint(
  found: Located,
  terms: { readonly now: number; readonly reason: string },
): PlannedChange<{ readonly outcome: 'stopped' | LeftAlone }> {
  const { state, job } = found;
  if (state !== 'ready' && state !== 'waiting' && state !== 'suspended') return leave(state);
  if (state === 'waiting' && isOccurrence(job)) return leave('occurrence');
  const { runNow: _runNow, ...rest } = idleJob(found);
  const from = state === 'suspended' ? job.from : found.table === 'jobs' ? 'jobs' : 'timers';
  const row = suspendedRow({ ...rest, rev: rest.rev + 1, cause: BREAKPOINT, suspendedAt: terms.now, from, reason: terms.reason });
  const put = { op: 'put', table: 'suspended', row } as const;
  const writes: Write[] = state === 'suspended' ? [{ ...put, condition: asFound(found) }] : [removeFound(found), put];
  return { writes, answer: { outcome: 'stopped' } };
}
