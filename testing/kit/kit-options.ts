import type { BeforeCreate } from '../../shared/client/job-draft.ts';
import type { HistoryMode } from '../../shared/config/environment.ts';
import type { SettingName } from '../../shared/config/settings.ts';
import type { Instant } from '../../shared/job/instant.ts';
import type { RetryFor } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import type { RetryInput } from '../../shared/job/retry-policy.ts';
import type { LaneRange } from '../../shared/job/lanes.ts';
import type { JobRef } from '../../shared/ports/journal.ts';
import type { OnEvent } from '../../shared/ports/event-sink.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import type { OnSession, Around, OnError } from '../../functions/executor/deps.ts';
import type { LimitOptionsOfWorker } from '../../functions/executor/configure-executor.ts';

/** The lanes of a worker, as the construct takes them. */
export interface KitWorkerOptions {
  readonly lanes?: Readonly<Record<string, LaneRange>>;
  readonly timersFirst?: boolean;
  /** Default priority. */
  readonly priority?: number;
}

/** How a test kit differs from a plain deployment; all have defaults. */
export interface TestKitOptions extends LimitOptionsOfWorker {
  /** Initial time of the clock. Default: 1 January 2026, midnight UTC. */
  readonly now?: Instant;
  /** What jitter, tokens and ids are drawn from: the same seed gives the same run. Default 1. */
  readonly seed?: number;
  /** Settings of the deployment. `batchConcurrency` is 1 in the kit: jobs run one by one, so that a test repeats itself. */
  readonly settings?: Partial<Record<SettingName, number>>;
  /** Default `outcome`, as deployed: `kit.job` shows finished jobs. */
  readonly history?: HistoryMode;
  /** Workers in addition to those of the given types, for jobs that are only enqueued; or by name, with their lanes. */
  readonly workers?: readonly string[] | Readonly<Record<string, KitWorkerOptions>>;
  /**
   * What `drain` and `advance` do about handlers that throw. `record` (the default): as in production; the error is in the run.
   * `throw`: when nothing is due any more they throw what was thrown, several as an AggregateError.
   */
  readonly errors?: 'record' | 'throw';
  /** Runs and messages that one `drain` or `advance` may take before it calls the chain endless. Default 10,000. */
  readonly maxRuns?: number;
  /**
   * Applies the items of `complete({ transact })` to your own fake, and returns whether their conditions held; if not, nothing
   * of the completion is written and the job is retried, as in production. Default: they hold. `kit.transacted()` shows what was committed.
   */
  readonly transact?: (items: readonly unknown[]) => boolean;
  /** Where handlers log. Default: nowhere. */
  readonly log?: (job: JobRef) => JobLog;
  /** As for `createExecutor`. */
  readonly around?: readonly Around[];
  readonly retry?: RetryInput;
  readonly isConflict?: (error: unknown) => boolean;
  readonly onError?: OnError;
  readonly retryFor?: RetryFor;
  readonly onSession?: OnSession;
  /** As for `createExecutor` and `createJobClient`. */
  readonly tracing?: Tracing;
  /** Receives each event of a job, from functions, `kit.client` and `kit.admin`. */
  readonly onEvent?: OnEvent;
  /** Whether events are kept for `kit.admin.events`. */
  readonly eventLog?: boolean;
  /** As for `createJobClient`; for `kit.client`. */
  readonly beforeCreate?: readonly BeforeCreate[];
}
