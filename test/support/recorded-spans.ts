import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterTestFile } from './after-test-file.ts';

/** The SDK of OpenTelemetry, registered until the file has ended. */
export interface RecordedSpans {
  readonly provider: TracerProvider;
  /** Spans that have ended since the last call, in this order, or in the order in which they started. */
  take(order?: 'ended' | 'started'): readonly ReadableSpan[];
}

let registered: RecordedSpans | undefined;

/** Registers the SDK for this process, with an exporter that keeps spans in memory; once, whichever tests ask for it. */
export function recordSpans(): RecordedSpans {
  registered ??= register();
  return registered;
}

function register(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const begun: string[] = [];
  const done = async (): Promise<void> => {};
  const starts: SpanProcessor = {
    onStart: (span) => void begun.push(span.spanContext().spanId),
    onEnd: () => {},
    forceFlush: done,
    shutdown: done,
  };
  const provider = new TracerProvider({ spanProcessors: [starts, new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  afterTestFile(async () => {
    registered = undefined;
    trace.disable();
    context.disable();
    await provider.shutdown();
  });
  return {
    provider,
    take(order = 'ended') {
      const spans = exporter.getFinishedSpans();
      exporter.reset();
      const place = (span: ReadableSpan): number => begun.indexOf(span.spanContext().spanId);
      return order === 'ended' ? spans : spans.toSorted((a, b) => place(a) - place(b));
    },
  };
}

/** The context of a span as a `traceparent`. */
export function traceparentOfSpan(span: ReadableSpan | undefined): string | undefined {
  const found = span?.spanContext();
  return found && `00-${found.traceId}-${found.spanId}-0${found.traceFlags}`;
}
