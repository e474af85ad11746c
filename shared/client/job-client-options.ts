import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { BeforeCreate } from './job-draft.ts';

/** Options of a client; all have defaults. */
export interface JobClientOptions {
  /** Default: the process's environment, as `executor.connect(fn)` sets it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called for each job before it is created, in order; may change or refuse it. Like Flowable's job processors. */
  readonly beforeCreate?: readonly BeforeCreate[];
  /** Default: one EMF line per call, or none when the deployment's metrics are off. */
  readonly journal?: Journal;
  /** Called in this process for each event that this client causes. */
  readonly onEvent?: OnEvent;
  /** Further destinations of those events, besides the deployment's log: for example `createEventBridgeSink({ bus })`. */
  readonly eventSinks?: readonly EventSink[];
}
