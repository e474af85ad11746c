import type { Settings } from '../../shared/config/settings.ts';
import type { JobState, Scalar } from '../../shared/job/job.ts';
import type { Deployment } from '../../shared/config/environment.ts';
import type { Rules } from '../../shared/features/rules/model/rules.ts';
import type { Schedule } from '../../shared/features/schedules/model/schedule.ts';
import type { SetNumber } from '../../shared/features/limits/admin/limit-verbs.ts';
import type { Row } from '../../shared/ports/tables.ts';
import type { Located } from '../../shared/store/locate.ts';
import type { ReportedWorker } from '../../shared/features/workers/store/worker-rows.ts';
import type { ExplanationCode, NextActor } from './explanation.ts';

/** When a function that is ticked last ended a run, as epoch milliseconds, and what it reported. */
export interface LastHeartbeat {
  readonly at?: number;
  readonly report: Row;
}

/** The limit under which a job is parked. */
export interface ParkedUnder {
  readonly name: string;
  /** The number in force; absent if it is unknown. */
  readonly n?: number;
  /** The number of the code; absent when its row is gone. */
  readonly coded?: number;
  /** Present if an operator set a number. */
  readonly set?: SetNumber;
  readonly slots: readonly { readonly until: number }[];
  /** Jobs that were parked before it; more, when `exact` is false. */
  readonly before: number;
  readonly exact: boolean;
  readonly parkedAt: number;
}

/** The job whose turn it is in the group of a parked job: none if its place is gone. */
export interface WaitsBehind {
  readonly id?: string;
  /** Absent if its row cannot be read. */
  readonly state?: JobState;
  readonly group: string;
  readonly parkedAt: number;
}

/** What is read to explain a job. What its state does not need is absent, and so is what could not be asked. */
export interface Facts {
  readonly located: Located;
  readonly settings: Settings;
  /** The workers of the deployment. */
  readonly deployed: Deployment['workers'];
  /** Its worker is part of the deployment. */
  readonly workerKnown: boolean;
  /** Its worker has a FIFO queue for grouped jobs. */
  readonly groupQueue: boolean;
  readonly rules?: Rules;
  /** The acquirer that serves its shard or its limit. */
  readonly acquirer?: LastHeartbeat;
  readonly sweeper?: LastHeartbeat;
  readonly schedule?: Schedule | 'gone' | 'unreadable';
  /** Another occurrence that has the turn of its schedule. */
  readonly turnOf?: string;
  readonly batchCancelled?: boolean;
  /** Names of the rate limits under which it booked its due time. */
  readonly rates?: readonly string[];
  readonly groupLock?: { readonly owner: string; readonly until: number };
  /** Messages that are visible in its queue, about. */
  readonly backlog?: number;
  readonly limit?: ParkedUnder;
  /** Present if it is parked for the order of its group. */
  readonly behind?: WaitsBehind;
  /** Its group waits for it. */
  readonly holdsGroup?: boolean;
  /** The row of its cause: the sweeper only checks causes that have one. */
  readonly cause?: Row | 'none';
  readonly workers?: readonly ReportedWorker[];
  /** Dead letters of its fault that were seen. */
  readonly errorGroupSeen?: number;
}

/** The facts of a job in one table. */
export type FactsIn<Table extends Located['table']> = Facts & { readonly located: Extract<Located, { readonly table: Table }> };

/** The parts of an explanation. `at` is epoch milliseconds. */
export interface ExplanationDraft {
  readonly code: ExplanationCode;
  readonly sentences: readonly string[];
  readonly next: { readonly verb: string; readonly by: NextActor; readonly at?: number };
  readonly facts?: Readonly<Record<string, Scalar | undefined>>;
  readonly verbs: readonly string[];
}
