import type { AttemptEnd } from '../job/attempt.ts';
import { InvalidInputError, kindOf } from '../job/errors.ts';
import type { TraceContext } from '../job/traceparent.ts';
import type { JobRef } from './journal.ts';

/** Refuses what `openTelemetry` did not make. */
export function checkTracing(tracing: unknown): Partial<{ readonly tracing: Tracing }> {
  if (tracing === undefined) return {};
  if (typeof (tracing as Tracing | null)?.process === 'function') return { tracing: tracing as Tracing };
  throw new InvalidInputError('tracing', kindOf(tracing), 'Give openTelemetry(api) of nightcrew/opentelemetry.');
}

/** What a span says of a job. */
export type TracedJob = JobRef & Partial<TraceContext>;

/** Spans around what happens to jobs, for a client and an executor. Made by `openTelemetry` of `nightcrew/opentelemetry`. */
export interface Tracing {
  /** The trace context of the code that runs now, which the jobs that it enqueues carry. Undefined outside a trace. */
  current(): TraceContext | undefined;
  /** Runs an enqueue of `count` jobs of a type in a producer span, which is the current one during `work`. */
  send<Result>(type: string, count: number, work: () => Promise<Result>): Promise<Result>;
  /** Runs one attempt in a consumer span, which is the current one during `work`. `work` reports how the attempt ended. */
  process<Result>(job: TracedJob, work: (ended: (end: AttemptEnd) => void) => Promise<Result>): Promise<Result>;
}
