import { defined } from '../../core/defined.ts';
import { sha256 } from '../../core/hash.ts';
import type { JournalEntry, JobRef } from '../../ports/journal.ts';

/** What a log line may say. There is no field for a payload, so none can be logged by mistake. */
export interface LogFields {
  readonly event?: string;
  readonly jobId?: string;
  readonly type?: string;
  readonly worker?: string;
  readonly attempt?: number;
  readonly tenantHash?: string;
  readonly count?: number;
  readonly reason?: string;
  readonly errorName?: string;
  readonly errorMessage?: string;
  readonly queueDelayMs?: number;
  readonly runMs?: number;
  readonly timerLagMs?: number;
}

/** A tenant as it appears in logs: enough to find its lines again, not enough to read its name. */
export function tenantHash(tenant: string): string {
  return sha256(tenant).slice(0, 12);
}

/** The fields that say which job a line is about. */
export function jobFields(job: JobRef): LogFields {
  return {
    jobId: job.id,
    type: job.type,
    worker: job.worker,
    attempt: job.attempt,
    ...(job.tenant === undefined ? {} : { tenantHash: tenantHash(job.tenant) }),
  };
}

/** A reason is a code such as `crash-loop` or `no-handler#invoice.send`. A sentence may quote a row, as an error's message may. */
const REASON_CODE = /^[\w.:#/-]{1,200}$/;

/**
 * The fields of an entry, copied one by one. What may quote a payload, an error's message or a reason that is a sentence, is
 * left out unless `messages` is set, which is for the debug level.
 */
export function entryFields(entry: JournalEntry, messages: boolean): LogFields {
  const { job, worker, count, reason, error, queueDelayMs, runMs, timerLagMs } = entry;
  return {
    event: entry.event,
    ...defined({ worker }),
    ...(job === undefined ? {} : jobFields(job)),
    ...defined({ count }),
    ...(reason === undefined || !(messages || REASON_CODE.test(reason)) ? {} : { reason }),
    ...(error === undefined ? {} : { errorName: error.name }),
    ...(error === undefined || !messages ? {} : { errorMessage: error.message }),
    ...defined({ queueDelayMs, runMs, timerLagMs }),
  };
}
