/**
 * What is used of `@opentelemetry/api`, 1.3 or later. Described here instead of imported, because the package is optional: users
 * without OpenTelemetry need neither its code nor its types.
 */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string, version?: string): OtelTracer;
    getSpanContext(context: OtelContext): OtelSpanContext | undefined;
    setSpan(context: OtelContext, span: OtelSpan): OtelContext;
    setSpanContext(context: OtelContext, spanContext: OtelSpanContext): OtelContext;
  };
  readonly context: {
    active(): OtelContext;
    with<Result>(context: OtelContext, work: () => Result): Result;
  };
  createTraceState(text?: string): OtelTraceState;
}

/** An immutable context of OpenTelemetry. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** The `tracestate` of a span. */
export interface OtelTraceState {
  set(key: string, value: string): OtelTraceState;
  unset(key: string): OtelTraceState;
  get(key: string): string | undefined;
  serialize(): string;
}

/** What identifies a span. */
export interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
  readonly traceState?: OtelTraceState;
}

/** What is used of a span. */
export interface OtelSpan {
  spanContext(): OtelSpanContext;
  setAttribute(key: string, value: string | number | boolean): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(exception: { readonly name: string; readonly message: string; readonly stack?: string }): void;
  end(): void;
}

/** How a span starts. */
export interface OtelSpanOptions {
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: { readonly context: OtelSpanContext }[];
}

/** What starts spans. */
export interface OtelTracer {
  startSpan(name: string, options: OtelSpanOptions, context: OtelContext): OtelSpan;
}
