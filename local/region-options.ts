import type { HistoryMode } from '../shared/config/environment.ts';
import type { LaneRange } from '../shared/job/lanes.ts';
import type { ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import type { Journal } from '../shared/ports/journal.ts';
import type { Sandbox } from '../shared/ports/sandbox.ts';
import type { LambdaHandler } from './function-runtime.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A lane as the region runs it. */
export interface LocalLane extends LaneRange {
  /** Default: that of the settings. */
  readonly maxConcurrency?: number;
}

/** A worker as the region runs it. */
export interface LocalWorker {
  /** Loads the executor: once per sandbox, with the environment of its function. For functions that share this process. */
  readonly createExecutor?: (environment: Environment, sandbox: Sandbox) => LambdaHandler | Promise<LambdaHandler>;
  /** Path of the file that exports the executor as `handler`. For functions in processes of their own. */
  readonly entry?: string;
  /** Variables of the function in a process of its own, in addition to those of the deployment. */
  readonly environment?: Environment;
  /** Lanes with their ranges, as in the construct. Default: one, `default`. */
  readonly lanes?: Readonly<Record<string, LocalLane>>;
  /** A lane of its own for fired timers. */
  readonly timersFirst?: boolean;
  /** Default priority. */
  readonly priority?: number;
  /** Whether a type of it has groups, so that it gets a FIFO queue. Default true. */
  readonly groups?: boolean;
  /** Its jobs run outside Lambda: it has queues and nothing that polls them. */
  readonly outside?: boolean;
}

/** Options of a region. */
export interface RegionOptions {
  readonly workers: Readonly<Record<string, LocalWorker>>;
  /** Bundles the functions and runs them in processes of their own, frozen and killed as Lambda does. Default: all in this one. */
  readonly processes?: boolean;
  /** Receives each line that functions in processes of their own print. Default: the standard output. */
  readonly onLog?: (line: string) => void;
  /** Overrides of LOCAL_SETTINGS. */
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: HistoryMode;
  /** Recurring schedules, brought to Control at the first tick as a deployment does. */
  readonly schedules?: readonly ScheduleDefinition[];
  /** Serves the external API on a free loopback port, for requests that are signed with the emulators' key. Default false. */
  readonly externalApi?: boolean;
  /** How often acquirer and sweeper tick. Default 1 s; 0: never, for callers that tick by hand. */
  readonly tickMs?: number;
  /** Where the acquirer and the sweeper journal in a shared process; default their logs. */
  readonly journal?: Journal;
  /** Endpoints that it names are used instead of emulators of its own. Default: the environment of this process. */
  readonly hostEnvironment?: Environment;
  /** Receives failed polls, ticks and invocations; the region continues after any failure. */
  readonly onProblem?: (what: string, error: unknown) => void;
}
