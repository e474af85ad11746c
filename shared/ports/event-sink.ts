import type { JobRef } from './journal.ts';

/** What happened to a job: the journal's words, one for each transition. */
export const JOB_EVENTS = [
  'enqueued',
  'fired',
  'started',
  'completed',
  'retried',
  'snoozed',
  'given-back',
  'continued',
  'parked',
  'released',
  'skipped',
  'expired',
  'dead-lettered',
  'crashed',
  'cancelled',
  'suspended',
  'resumed',
  'redriven',
  'rescheduled',
  'replaced',
  'retries-set',
  'reset',
  'quarantined',
  'lost-lease',
] as const;

/** The name of one kind of event. */
export type JobEventName = (typeof JOB_EVENTS)[number];

/** One transition of one job, published after its commit. Never contains a payload or the text of an error, which may quote one. */
export interface JobEvent {
  /** Identifies repeated deliveries of the same event. */
  readonly id: string;
  readonly event: JobEventName;
  /** Epoch milliseconds, by the clock of the process that did it. */
  readonly at: number;
  readonly job: JobRef;
  /** A code such as `crash-loop`. */
  readonly reason?: string;
  readonly errorName?: string;
  readonly queueDelayMs?: number;
  readonly runMs?: number;
  readonly timerLagMs?: number;
}

/** A destination of events. Ordered within one process; no order between processes. */
export interface EventSink {
  /** Names the sink where something is lost. Operators switch those named `log` or `bus`; one with another name is always on. */
  readonly name: string;
  /** Takes events, and gives back how many were not taken. A sink that throws took none; it never fails a job. */
  put(events: readonly JobEvent[]): Promise<number>;
}

/** Gets each event at once, in the process in which it happened. What it throws is journalled. */
export type OnEvent = (event: JobEvent) => unknown;
