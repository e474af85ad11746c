import { PACKAGE_VERSION } from '../../config/package-version.ts';
import type { AttemptEnd } from '../../job/attempt.ts';
import { defined } from '../../job/defined.ts';
import { InvalidInputError, kindOf } from '../../job/errors.ts';
import { checkOptions } from '../../job/names.ts';
import { parseTraceparent, type TraceContext, traceContextOf } from '../../job/traceparent.ts';
import type { TracedJob, Tracing } from '../../ports/tracing.ts';
import type { OpenTelemetryApi, OtelContext, OtelSpan, OtelSpanContext, OtelSpanOptions } from './api.ts';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * How the span of an attempt is tied to the span that enqueued its job. `link` (the default): the attempt belongs to the trace of its
   * invocation and links to the producer. `child`: it continues the producer's trace and links to the invocation. Use it where one
   * trace from request to job matters more than traces that end soon.
   */
  readonly propagationStyle?: 'link' | 'child';
}

/** Values of the enumerations of `@opentelemetry/api`, which its stability guarantee keeps. */
const [KIND_PRODUCER, KIND_CONSUMER, STATUS_ERROR] = [3, 4, 2];

/**
 * Traces jobs with OpenTelemetry: a producer span for each enqueue, a consumer span for each attempt. Names and attributes follow the
 * messaging conventions, version 1.38.0 (https://github.com/open-telemetry/semantic-conventions/blob/v1.38.0/docs/messaging/messaging-spans.md).
 * Give it the namespace of `@opentelemetry/api`. Without a registered SDK it does nothing. A tracer that throws never fails a job.
 */
export function openTelemetry(api: OpenTelemetryApi, options: OpenTelemetryOptions = {}): Tracing {
  checkApi(api);
  const style = checkStyle(options);
  const { context, trace } = api;
  const active = (): OtelContext => context.active();
  const run = async <Result>(begun: Begun | undefined, work: (span?: OtelSpan) => Promise<Result>): Promise<Result> =>
    begun === undefined ? work() : context.with(trace.setSpan(begun.parent, begun.span), async () => work(begun.span));
  const start = (name: string, parent: OtelContext, more: OtelSpanOptions): Begun | undefined =>
    quietly(() => ({ parent, span: trace.getTracer('nightcrew', PACKAGE_VERSION).startSpan(name, more, parent) }));
  return {
    current: () => quietly(() => contextOf(trace.getSpanContext(active()))),
    async send(type, count, work) {
      const attributes = { ...attributesOf('send', type), ...(count === 1 ? {} : { 'messaging.batch.message_count': count }) };
      return run(start(`send ${type}`, active(), { kind: KIND_PRODUCER, attributes, links: [] }), async (span) => {
        try {
          return await work();
        } catch (error) {
          quietly(() => fail(span, error instanceof Error ? error : { name: typeof error, message: String(error) }));
          throw error;
        } finally {
          quietly(() => span?.end());
        }
      });
    },
    async process(job, work) {
      const begun = quietly(() => {
        const { parent, links } = relate(api, style, job);
        return start(`process ${job.type}`, parent, { kind: KIND_CONSUMER, attributes: jobAttributes(job), links });
      });
      return run(begun, async (span) => {
        try {
          return await work((end) => quietly(() => settle(span, end)));
        } finally {
          quietly(() => span?.end());
        }
      });
    },
  };
}

/** A started span and the context in which it was started. */
interface Begun {
  readonly parent: OtelContext;
  readonly span: OtelSpan;
}

/** The parent of an attempt's span, and its links. */
function relate(
  api: OpenTelemetryApi,
  style: 'link' | 'child',
  job: TracedJob,
): { readonly parent: OtelContext; readonly links: OtelSpanOptions['links'] } {
  const { context, trace } = api;
  const parent = context.active();
  const parsed = parseTraceparent(job.traceparent);
  if (parsed === undefined) return { parent, links: [] };
  const { traceId, spanId, flags } = parsed;
  const traceState = job.tracestate === undefined ? undefined : api.createTraceState(job.tracestate);
  const creation = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...defined({ traceState }) };
  if (style === 'link') return { parent, links: [{ context: creation }] };
  const invocation = trace.getSpanContext(parent);
  return { parent: trace.setSpanContext(parent, creation), links: invocation === undefined ? [] : [{ context: invocation }] };
}

function contextOf(span: OtelSpanContext | undefined): TraceContext | undefined {
  if (span === undefined) return undefined;
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  return traceContextOf(`00-${span.traceId}-${span.spanId}-${flags}`, span.traceState?.serialize());
}

function attributesOf(operation: 'send' | 'process', type: string): Readonly<Record<string, string>> {
  return {
    'messaging.system': 'nightcrew',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': type,
  };
}

/** Neither payload nor tenant. */
function jobAttributes(job: TracedJob): OtelSpanOptions['attributes'] {
  return {
    ...attributesOf('process', job.type),
    'messaging.message.id': job.id,
    ...defined({ 'messaging.message.conversation_id': job.correlationId }),
    'nightcrew.worker': job.worker,
    'nightcrew.job.attempt': job.attempt,
  };
}

function settle(span: OtelSpan | undefined, { outcome, error, reason }: AttemptEnd): void {
  span?.setAttribute('nightcrew.job.outcome', outcome);
  if (reason !== undefined) span?.setAttribute('nightcrew.job.reason', reason);
  if (error !== undefined) return fail(span, error);
  // Neither names an error: the row says nothing of the run.
  if (outcome === 'lost-lease' || outcome === 'unrecorded') {
    span?.setAttribute('error.type', outcome);
    span?.setStatus({ code: STATUS_ERROR });
  }
}

function fail(span: OtelSpan | undefined, { name, message, stack }: { name: string; message: string; stack?: string }): void {
  span?.recordException({ name, message, ...defined({ stack }) });
  span?.setAttribute('error.type', name);
  span?.setStatus({ code: STATUS_ERROR, message });
}

/** Runs a call of the tracing SDK. Its failure must not become a failure of the job. */
function quietly<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

function checkApi(api: unknown): void {
  const { trace, context, createTraceState } = (api ?? {}) as Partial<Record<keyof OpenTelemetryApi, unknown>>;
  const called = (one: unknown, method: string): boolean => typeof (one as Record<string, unknown> | undefined)?.[method] === 'function';
  if (called(trace, 'getTracer') && called(context, 'with') && typeof createTraceState === 'function') return;
  throw new InvalidInputError('api', kindOf(api), "Give the namespace: import * as api from '@opentelemetry/api'.");
}

function checkStyle(options: OpenTelemetryOptions): 'link' | 'child' {
  checkOptions(options, ['propagationStyle'], 'options');
  const { propagationStyle = 'link' } = options;
  if (propagationStyle === 'link' || propagationStyle === 'child') return propagationStyle;
  throw new InvalidInputError('propagationStyle', propagationStyle, "Use 'link' or 'child'.");
}
