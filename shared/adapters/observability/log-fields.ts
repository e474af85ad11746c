import { defined } from '../../job/defined.ts';
import { tenantHash } from '../../job/hash.ts';
import { missingPermission } from '../../job/missing-permission.ts';
import { parseTraceparent, type TraceContext } from '../../job/traceparent.ts';
import type { JournalEntry, JobRef } from '../../ports/journal.ts';

/** The fields of a log line. There is none for a payload, so no payload can be logged by mistake. */
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
  /** The action and the resource that AWS did not allow. */
  readonly missingPermission?: string;
  readonly queueDelayMs?: number;
  readonly runMs?: number;
  readonly timerLagMs?: number;
}

/** The trace of a line. Without `span_id` it is the trace that enqueued the job. */
export interface TraceFields {
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** The fields that identify the job of a line. */
export function jobFields(job: JobRef): LogFields {
  return {
    jobId: job.id,
    type: job.type,
    worker: job.worker,
    attempt: job.attempt,
    ...(job.tenant === undefined ? {} : { tenantHash: tenantHash(job.tenant) }),
  };
}

/**
 * The fields that tie a line to a trace, named as OpenTelemetry asks of logs in JSON
 * (https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/). Outside a span it is the trace that enqueued the job.
 */
export function traceFields(current: TraceContext | undefined, job: Pick<JobRef, 'traceparent'> | undefined): TraceFields {
  const span = parseTraceparent(current?.traceparent);
  if (span !== undefined) return { trace_id: span.traceId, span_id: span.spanId, trace_flags: span.flags };
  const origin = parseTraceparent(job?.traceparent);
  return origin === undefined ? {} : { trace_id: origin.traceId };
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
    ...(entry.event === 'store-failed' ? defined({ missingPermission: missingPermission(error?.message ?? '') }) : {}),
    ...defined({ queueDelayMs, runMs, timerLagMs }),
  };
}
