import type { EventSink, OnEvent } from '../ports/event-sink.ts';
import type { Journal } from '../ports/journal.ts';
import type { BeforeCreate } from './job-draft.ts';

/** Options of a client; all have defaults. */
export interface JobClientOptions {
  /** Default: the process's environment, as `executor.connect(fn)` sets it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Looks at each job before it is created, in order (Flowable's job processors). */
  readonly beforeCreate?: readonly BeforeCreate[];
  /** Default: one EMF line per call, or none when the deployment's metrics are off. */
  readonly journal?: Journal;
  /** Gets each event of a job that this client brings about, in this process. */
  readonly onEvent?: OnEvent;
  /** Where those events go besides the deployment's log, such as `createEventBridgeSink({ bus })`. */
  readonly eventSinks?: readonly EventSink[];
}
