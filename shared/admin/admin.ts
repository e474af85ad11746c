import { type AcquireLock, acquireLocks } from './acquire-locks.ts';
import type { AdminDeps } from './admin-deps.ts';
import { auditActivation, type Switching, type SwitchingTold } from './audit-activation.ts';
import { type AuditOptions, type AuditPage, type AuditRecord, readAudit } from '../features/audit/admin/audit-log.ts';
import { audited } from './audited.ts';
import { type BatchVerbs, batchVerbs } from '../features/batches/admin/batch-verbs.ts';
import { blockedGroups, type BlockedGroups, type BlockedGroupsOptions } from './blocked-groups.ts';
import { cancelWhere, type CancelWhereVerb } from './cancel-where.ts';
import { editPayloadVerb } from './edit-payload.ts';
import { createEventVerbs, type EventVerbs } from '../features/events/admin/event-verbs.ts';
import { historyReader, type ReadHistory } from '../features/history/admin/history.ts';
import type { BulkVerbs } from './bulk/bulk-verbs.ts';
import { bulkVerbs } from './bulk/create-bulk-verbs.ts';
import type { ErrorGroupVerbs } from '../features/error-groups/admin/error-group.ts';
import { errorGroupVerbs } from '../features/error-groups/admin/list-error-groups.ts';
import { explainVerbs } from './explain/explain-verbs.ts';
import type { ExplainVerbs } from './explain/explanation.ts';
import { readVerbs } from './jobs/read-jobs.ts';
import type { ReadVerbs } from './jobs/read-verbs.ts';
import { statisticsVerbs } from '../features/statistics/admin/read-statistics.ts';
import type { StatisticsVerbs } from '../features/statistics/admin/statistics.ts';
import { workerVerbs } from '../features/workers/admin/list-workers.ts';
import type { WorkerVerbs } from '../features/workers/admin/worker-view.ts';
import { type ManyIdsVerbs, manyIdsVerbs } from './many-ids.ts';
import { stoppableReads } from './read-until.ts';
import { type RuleVerbs, ruleVerbs } from '../features/rules/admin/rule-verbs.ts';
import { createScheduleAdmin, type ScheduleAdmin } from '../features/schedules/admin/schedules.ts';
import { type TenantAdmin, tenantAdmin } from './tenant-admin.ts';
import { type JobMethods, jobMethods } from './verbs.ts';

/** What an operator can do. It works with the operator's own credentials: grant them with `grantOperate`. */
export interface Admin
  extends
    RuleVerbs,
    JobMethods,
    ManyIdsVerbs,
    CancelWhereVerb,
    BatchVerbs,
    EventVerbs,
    ReadVerbs,
    ExplainVerbs,
    BulkVerbs,
    ErrorGroupVerbs,
    StatisticsVerbs,
    WorkerVerbs {
  /** What is kept of one job, or a page of finished jobs, newest first. */
  readonly history: ReadHistory;
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

/** Creates the operator's verbs. Their reads end within `readUntil`. */
export function createAdminOver(given: AdminDeps): Admin {
  const deps: AdminDeps = { ...given, tables: stoppableReads(given.tables) };
  const batches = batchVerbs(deps);
  const events = createEventVerbs(deps);
  const later = audited(deps, {
    sealBatch: async (id) => batches.sealBatch(id),
    cancelBatch: async (id) => batches.cancelBatch(id),
    switchEvents: async (sinks) => events.switchEvents(sinks),
    schedules: createScheduleAdmin(deps),
    cancelWhere: async (filter, options, watch) => cancelWhere(deps, filter, options, watch),
  });
  const jobs = jobMethods(deps);
  const admin: Admin = {
    ...batches,
    ...events,
    ...later,
    ...ruleVerbs(deps),
    ...jobs,
    ...manyIdsVerbs(jobs),
    ...readVerbs(deps),
    ...editPayloadVerb(deps),
    ...bulkVerbs(deps),
    ...errorGroupVerbs(deps),
    ...statisticsVerbs(deps),
    ...explainVerbs(deps),
    ...workerVerbs(deps),
    blockedGroups: async (options) => blockedGroups(deps, options),
    acquireLocks: async () => acquireLocks(deps),
    history: historyReader(deps),
    audit: async (options) => (await readAudit(deps, options)).entries,
    auditPage: async (options) => readAudit(deps, options),
    auditActivation: async (switching, told) => auditActivation(deps, switching, told),
    forTenant: (tenant) => tenantAdmin(deps, admin, tenant),
  };
  return admin;
}
