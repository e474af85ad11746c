import type { EnqueueOptions } from '../job/enqueue-options.ts';
import { InvalidInputError } from '../job/errors.ts';
import { type TraceContext, traceContextOf } from '../job/traceparent.ts';
import { defined } from '../job/defined.ts';
import type { JobScope } from '../ports/job-scope.ts';
import type { DraftDeps } from './client-deps.ts';

/**
 * The trace context of a new job: that of its options, of the current span, of the job in whose handler it is enqueued, or of the
 * invocation, in this order. A header that is not valid counts as absent, as W3C Trace Context asks of its receiver.
 */
export function traceOf(
  { tracing, traceparent }: Pick<DraftDeps, 'tracing' | 'traceparent'>,
  options: Pick<EnqueueOptions, 'traceparent' | 'tracestate'>,
  parent: JobScope | undefined,
): Partial<TraceContext> {
  const given = traceContextOf(checkHeader(options, 'traceparent'), checkHeader(options, 'tracestate'));
  return given ?? tracing?.current() ?? inherited(parent) ?? defined({ traceparent: traceparent?.() });
}

function inherited(parent: JobScope | undefined): Partial<TraceContext> | undefined {
  return parent?.traceparent === undefined ? undefined : defined({ traceparent: parent.traceparent, tracestate: parent.tracestate });
}

function checkHeader(options: Pick<EnqueueOptions, 'traceparent' | 'tracestate'>, name: 'traceparent' | 'tracestate'): string | undefined {
  const value: unknown = options[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidInputError(name, value, `Give the text of a ${name} header, or leave it out.`);
}
