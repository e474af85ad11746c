import type { Settings } from '../../config/settings.ts';
import type { Scalar } from '../../core/job.ts';
import type { Rules } from '../../features/rules/model/rules.ts';
import type { Schedule } from '../../features/schedules/model/schedule.ts';
import type { Slot } from '../../features/limits/model/slots.ts';
import type { Row } from '../../ports/tables.ts';
import type { Located } from '../../store/locate.ts';
import type { ReportedWorker } from '../../features/workers/store/worker-rows.ts';
import type { ExplanationCode, NextActor } from './explanation.ts';

/** When a function that is ticked last ended a run, as epoch milliseconds, and what it reported. */
export interface Beat {
  readonly at?: number;
  readonly report: Row;
}

/** The limit under which a job is parked. */
export interface ParkedUnder {
  readonly name: string;
  /** Slots in all; absent when its row is gone. */
  readonly n?: number;
  readonly slots: readonly Slot[];
  /** Jobs that were parked before it; more, when `exact` is false. */
  readonly before: number;
  readonly exact: boolean;
  readonly parkedAt: number;
}

/** What is read to explain a job. What its state does not need is absent, and so is what could not be asked. */
export interface Facts {
  readonly located: Located;
  readonly settings: Settings;
  /** Its worker is part of the deployment. */
  readonly workerKnown: boolean;
  /** Its worker has a FIFO queue for grouped jobs. */
  readonly groupQueue: boolean;
  readonly rules?: Rules;
  /** The acquirer that serves its shard or its limit. */
  readonly acquirer?: Beat;
  readonly sweeper?: Beat;
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
  /** The row of its cause: the sweeper looks only at causes that have one. */
  readonly cause?: Row | 'none';
  readonly workers?: readonly ReportedWorker[];
  /** Dead letters of its fault that were seen. */
  readonly errorGroupSeen?: number;
}

/** The facts of a job in one table. */
export type FactsIn<Table extends Located['table']> = Facts & { readonly located: Extract<Located, { readonly table: Table }> };

/** What is told of a job before it is put together. `at` is epoch milliseconds. */
export interface Told {
  readonly code: ExplanationCode;
  readonly sentences: readonly string[];
  readonly next: { readonly verb: string; readonly by: NextActor; readonly at?: number };
  readonly facts?: Readonly<Record<string, Scalar | undefined>>;
  readonly verbs: readonly string[];
}
