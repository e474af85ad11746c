import { defined } from '../job/defined.ts';
import type { Job, JobError } from '../job/job.ts';

/** The job of a journal entry, without its payload. */
export interface JobRef {
  readonly id: string;
  readonly type: string;
  readonly worker: string;
  readonly tenant?: string;
  readonly correlationId?: string;
  /** The W3C trace context of what enqueued it. */
  readonly traceparent?: string;
  readonly attempt: number;
}

type ReferredJob = Pick<Job, 'id' | 'type' | 'worker' | 'tenant' | 'correlationId' | 'traceparent' | 'starts'>;

/** How a journal names a job: no payload, no error text. */
export function jobRef(job: ReferredJob): JobRef {
  return {
    id: job.id,
    type: job.type,
    worker: job.worker,
    attempt: job.starts,
    ...defined({ tenant: job.tenant, correlationId: job.correlationId, traceparent: job.traceparent }),
  };
}

/** Events, one per transition and one per thing an operator counts. The same word in code, metrics and logs. */
export type JournalEvent =
  | 'enqueued'
  | 'started'
  | 'completed'
  | 'failed'
  | 'retried'
  | 'snoozed'
  | 'given-back'
  | 'continued'
  | 'parked'
  | 'released'
  | 'skipped'
  | 'expired'
  | 'rerouted'
  | 'dead-lettered'
  | 'crashed'
  | 'cancelled'
  | 'suspended'
  | 'resumed'
  | 'redriven'
  | 'lost-claim'
  | 'lost-lease'
  | 'timers-fired'
  | 'reset'
  | 'quarantined'
  | 'send-failed'
  | 'store-failed'
  | 'history-lost'
  | 'unreadable-message'
  | 'sandbox-ended'
  | 'ambiguous-resolved'
  | 'rescheduled'
  | 'replaced'
  | 'retries-set'
  | 'hook-failed'
  | 'events-lost'
  | 'unknown-settings'
  | 'unknown-rules'
  | 'batches-refused'
  | 'ignored-while-off';

/** One entry. `count` defaults to 1; durations are milliseconds. */
export interface JournalEntry {
  readonly event: JournalEvent;
  readonly worker?: string;
  readonly job?: JobRef;
  /** The jobs of an entry; `count` is their number. */
  readonly jobs?: readonly JobRef[];
  readonly count?: number;
  readonly error?: JobError;
  readonly reason?: string;
  /** From due to start. */
  readonly queueDelayMs?: number;
  readonly runMs?: number;
  /** From due to the write that fired the timer; negative when it was fired ahead, with a delayed hint. */
  readonly timerLagMs?: number;
}

/** A number that is measured once a run rather than counted: ages, lags, heartbeats. */
export interface Gauge {
  readonly name: 'oldest-ready-age' | 'overdue-ready' | 'acquirer-heartbeat' | 'sweeper-heartbeat';
  readonly value: number;
  readonly worker?: string;
}

/** The one way out for logs and metrics. Neither method throws. */
export interface Journal {
  record(entry: JournalEntry): void;
  gauge(gauge: Gauge): void;
  /** Writes out what was gathered; called at the end of each invocation. */
  flush(): void;
}
