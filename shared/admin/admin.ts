import type { Deployment } from '../config/environment.ts';
import type { AnyJobType } from '../core/job-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import { type AcquireLock, acquireLocks } from './acquire-locks.ts';
import { auditActivation, type Switching, type SwitchingTold } from './audit-activation.ts';
import { type AuditOptions, type AuditPage, type AuditRecord, readAudit } from './audit-log.ts';
import { audited } from './audited.ts';
import { type BatchVerbs, batchVerbs } from './batch-verbs.ts';
import { blockedGroups, type BlockedGroups, type BlockedGroupsOptions } from './blocked-groups.ts';
import { cancelWhere, type CancelWhereOptions, type CancelWhereReport } from './cancel-where.ts';
import { type JobVerbs, jobVerbs } from './job-verbs.ts';
import { editVerbs } from './edit-verbs.ts';
import { createEventVerbs, type EventVerbs } from './event-verbs.ts';
import { historyReader, type ReadHistory } from './history.ts';
import type { BulkVerbs } from './bulk/bulk-verbs.ts';
import { bulkVerbs } from './bulk/create-bulk-verbs.ts';
import type { ErrorGroupVerbs } from './error-groups/error-group.ts';
import type { LeftGroups } from './error-groups/leave-error-group.ts';
import { errorGroupVerbs } from './error-groups/list-error-groups.ts';
import { explainVerbs } from './explain/explain-verbs.ts';
import type { ExplainVerbs } from './explain/explanation.ts';
import type { JobFilter } from './jobs/job-filter.ts';
import { readVerbs } from './jobs/read-jobs.ts';
import type { ReadVerbs } from './jobs/read-verbs.ts';
import { statisticsVerbs } from './statistics/read-statistics.ts';
import type { StatisticsVerbs } from './statistics/statistics.ts';
import { workerVerbs } from './workers/list-workers.ts';
import type { WorkerVerbs } from './workers/worker-view.ts';
import { stoppableReads } from './read-until.ts';
import { type RuleVerbs, ruleVerbs } from './rule-verbs.ts';
import { createScheduleAdmin, type ScheduleAdmin } from './schedules.ts';
import {
  type BulkOutcomes,
  type DueOptions,
  redriveJob,
  type RedriveOptions,
  type RedriveOutcome,
  setJobDueDate,
  setJobRetries,
  type SetDueDateOutcome,
  type SetRetriesOutcome,
} from './retries.ts';
import { type TenantAdmin, tenantAdmin } from './tenant-admin.ts';

/** What an operator can do. It works with the operator's own credentials: grant them with `grantOperate`. */
export interface Admin
  extends RuleVerbs, JobVerbs, BatchVerbs, EventVerbs, ReadVerbs, ExplainVerbs, BulkVerbs, ErrorGroupVerbs, StatisticsVerbs, WorkerVerbs {
  /** Makes a dead letter ready again, or lets it wait until `at`, with fresh counters; the answer says why not, if not. */
  redrive(id: string, options?: RedriveOptions): Promise<RedriveOutcome>;
  redriveMany(ids: readonly string[], options?: RedriveOptions): Promise<BulkOutcomes<RedriveOutcome>>;
  /**
   * Gives a job `more` tries from now on instead of what its policy has left, wherever it lies; a running attempt that fails is
   * judged by it already. A dead letter is redriven with that many.
   */
  setRetries(id: string, more: number): Promise<SetRetriesOutcome>;
  setRetriesMany(ids: readonly string[], more: number): Promise<BulkOutcomes<SetRetriesOutcome>>;
  /** What is kept of one job, or a page of finished jobs, newest first. */
  readonly history: ReadHistory;
  /** Another due time for a job that waits or is ready; a dead letter is redriven at it. The answer says why not, if not. */
  setDueDate(id: string, when: DueOptions): Promise<SetDueDateOutcome>;
  setDueDateMany(ids: readonly string[], when: DueOptions): Promise<BulkOutcomes<SetDueDateOutcome>>;
  /**
   * Cancels every waiting, ready, running or suspended job that matches; what is enqueued meanwhile is not met. Repeat it until it
   * finds nothing: a job that moved during the pass may be met then. Dead letters are left alone.
   */
  cancelWhere(filter: JobFilter, options?: CancelWhereOptions): Promise<CancelWhereReport>;
  /** Exclusive groups that are held while jobs of them wait: by whom, since when, until when, and how many wait. A bounded scan of Jobs. */
  blockedGroups(options?: BlockedGroupsOptions): Promise<BlockedGroups>;
  /** Which shards of Timers acquirers hold now, and which locks a dead one left. One query. */
  acquireLocks(): Promise<readonly AcquireLock[]>;
  /** Recurring schedules: list, put, pause, resume, run now, preview. */
  readonly schedules: ScheduleAdmin;
  /** What operators did on a day, newest first. */
  audit(options?: AuditOptions): Promise<readonly AuditRecord[]>;
  /** The same, with what goes on behind it. */
  auditPage(options?: AuditOptions): Promise<AuditPage>;
  /** Writes down that the deployment was switched on or off: `createActivation` does that and knows no tables. */
  auditActivation(switching: Switching, told?: SwitchingTold): Promise<void>;
  /** The verbs for one tenant: they refuse everything that is another's. */
  forTenant(tenant: string): TenantAdmin;
}

/** What the verbs of an operator work with. */
export interface AdminParts {
  readonly deployment: Pick<Deployment, 'history' | 'settings' | 'workers'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Asked how many messages wait, to explain a job; absent: it is explained without. */
  readonly backlog?: Backlog;
  /** Who acts, for the audit, where a call does not say. Default `operator`. */
  readonly actor?: string;
  /** The verbs of single jobs leave no entries: what they are part of has its own. */
  readonly unaudited?: true;
  /** How long after its creation a job may be put again by its producer: the verbs wait for the end of that. Absent: no put is repeated. */
  readonly putWindowMs?: number;
  /** What an action on many jobs takes from error groups, told with `tellLeftGroups`; absent: each is told at once. */
  readonly leftGroups?: LeftGroups;
  /** Job types by name: the payloads of theirs that an operator edits are checked. */
  readonly jobTypes?: ReadonlyMap<string, AnyJobType>;
}

/** The operator's verbs over their parts. Their reads end within `readUntil`. */
export function createAdminOver(given: AdminParts): Admin {
  const parts: AdminParts = { ...given, tables: stoppableReads(given.tables) };
  const batches = batchVerbs(parts);
  const events = createEventVerbs(parts);
  const later = audited(parts, {
    sealBatch: async (id) => batches.sealBatch(id),
    cancelBatch: async (id) => batches.cancelBatch(id),
    switchEvents: async (sinks) => events.switchEvents(sinks),
    schedules: createScheduleAdmin(parts),
    cancelWhere: async (filter, options, watch) => cancelWhere(parts, filter, options, watch),
    redrive: async (id, options) => redriveJob(parts, id, options),
    setRetries: async (id, more) => setJobRetries(parts, id, more),
    setDueDate: async (id, when) => setJobDueDate(parts, id, when),
  });
  const admin: Admin = {
    ...batches,
    ...events,
    ...later,
    ...ruleVerbs(parts),
    ...jobVerbs(parts),
    ...readVerbs(parts),
    ...editVerbs(parts),
    ...bulkVerbs(parts),
    ...errorGroupVerbs(parts),
    ...statisticsVerbs(parts),
    ...explainVerbs(parts),
    ...workerVerbs(parts),
    blockedGroups: async (options) => blockedGroups(parts, options),
    acquireLocks: async () => acquireLocks(parts),
    history: historyReader(parts),
    audit: async (options) => (await readAudit(parts, options)).entries,
    auditPage: async (options) => readAudit(parts, options),
    auditActivation: async (switching, told) => auditActivation(parts, switching, told),
    forTenant: (tenant) => tenantAdmin(parts, admin, tenant),
  };
  return admin;
}
