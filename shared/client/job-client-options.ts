import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { OwnPorts } from '../ports/own-ports.ts';
import type { Tables } from '../ports/tables.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { BeforeCreate } from './job-draft.ts';

/** Options of a client; all have defaults. */
export interface JobClientOptions {
  /** Default: the process's environment, as `executor.connect(fn)` sets it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * The deployment, by the name that `executor.connect(fn, { name })` gave it, for a function that uses several.
   * Default: the one that was connected without a name.
   */
  readonly deployment?: string;
  /**
   * Called in order for each job that this client creates, callbacks of batches included; may change or refuse it. Not for follow-ups of a
   * completion and occurrences of schedules.
   */
  readonly beforeCreate?: readonly BeforeCreate[];
  /**
   * Runs `enqueue` and `enqueueMany` in spans: `openTelemetry(api)` of `nightcrew/opentelemetry`. New jobs without a `traceparent` get the
   * context of the current span. Default: no spans.
   */
  readonly tracing?: Tracing;
  /** Receives events, for logs and metrics. Default: Powertools, or none when the deployment's metrics are off. */
  readonly journal?: Journal;
  /** Called in this process for each event that this client causes. */
  readonly onEvent?: OnEvent;
  /** Further destinations of those events, in addition to the deployment's log: for example `createEventBridgeSink({ bus })`. */
  readonly eventSinks?: readonly EventSink[];
  /** A store, a queue or both of one's own. Default: DynamoDB and SQS. With `tables`, `prepare` gives writes of that port. */
  readonly ports?: OwnPorts;
}

/** Options of a client whose `prepare` gives writes of its own store. */
export type OwnStoreOptions = JobClientOptions & { readonly ports: OwnPorts & { readonly tables: Tables } };
