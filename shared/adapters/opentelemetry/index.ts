// Traces of jobs with OpenTelemetry. The package imports nothing of it: give `openTelemetry` the namespace of `@opentelemetry/api`.
export type { OpenTelemetryApi } from './api.ts';
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
export type { TraceContext } from '../../job/traceparent.ts';
export type { Tracing } from '../../ports/tracing.ts';
