import { type AcquireLock, acquireLocks } from './acquire-locks.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AttemptVerbs } from './attempts/attempt-filter.ts';
import { attemptVerbs } from './attempts/list-attempts.ts';
import { type AuditVerbs, auditVerbs } from '../shared/features/audit/admin/audit-verbs.ts';
import { audited } from './audited.ts';
import { type BatchVerbs, batchVerbs } from '../shared/features/batches/admin/batch-verbs.ts';
import { blockedGroups, type BlockedGroups, type BlockedGroupsOptions } from './blocked-groups.ts';
import { cancelWhere, type CancelWhereVerb } from './cancel-where.ts';
import { editPayloadVerb } from './edit-payload.ts';
import { createEventVerbs, type EventVerbs } from '../shared/features/events/admin/event-verbs.ts';
import { historyReader, type ReadHistory } from '../shared/features/history/admin/history.ts';
import type { BulkVerbs } from './bulk/bulk-verbs.ts';
import { bulkVerbs } from './bulk/create-bulk-verbs.ts';
import type { ErrorGroupVerbs } from '../shared/features/error-groups/admin/error-group.ts';
import { errorGroupVerbs } from '../shared/features/error-groups/admin/list-error-groups.ts';
import { type HeartbeatVerbs, readHeartbeats } from './heartbeats.ts';
import { type LimitVerbs, limitVerbs } from '../shared/features/limits/admin/limit-verbs.ts';
import { eraseVerbs } from './erase/create-erase-verbs.ts';
import type { EraseVerbs } from './erase/erasure.ts';
import { explainVerbs } from './explain/explain-verbs.ts';
import type { ExplainVerbs } from './explain/explanation.ts';
import { readVerbs } from './jobs/read-jobs.ts';
import type { ReadVerbs } from './jobs/read-verbs.ts';
import { statisticsVerbs } from '../shared/features/statistics/admin/read-statistics.ts';
import { type RetentionVerbs, retentionVerbs } from '../shared/features/retention/admin/retention-verbs.ts';
import type { StatisticsVerbs } from '../shared/features/statistics/admin/statistics.ts';
import { typeVerbs } from './read-type-list.ts';
import { workerVerbs } from '../shared/features/workers/admin/list-workers.ts';
import type { TypeVerbs } from './type-view.ts';
import type { WorkerVerbs } from '../shared/features/workers/admin/worker-view.ts';
import { type ManyIdsVerbs, manyIdsVerbs } from './many-ids.ts';
import { stoppableReads } from './read-until.ts';
import { reconcile, type ReconcileVerb } from './reconcile/reconcile.ts';
import { type SwitchVerbs, switchVerbs } from './switch-deployment.ts';
import { type TriageVerbs, triageVerbs } from '../shared/features/error-groups/admin/triage-verbs.ts';
import { type RuleVerbs, ruleVerbs } from '../shared/features/rules/admin/rule-verbs.ts';
import { backfill } from '../shared/features/schedules/admin/backfill.ts';
import { createScheduleAdmin, type ScheduleAdmin } from '../shared/features/schedules/admin/schedules.ts';
import { type TimelineVerb, timelineVerb } from './timeline.ts';
import { type TenantAdmin, tenantAdmin } from './tenant-admin.ts';
import { type JobMethods, jobMethods } from './verbs.ts';

/** What an operator can do. It works with the operator's own credentials: grant them with `grantOperate`. */
export interface Admin
  extends
    SwitchVerbs,
    AuditVerbs,
    RuleVerbs,
    JobMethods,
    ManyIdsVerbs,
    CancelWhereVerb,
    BatchVerbs,
    EventVerbs,
    ReadVerbs,
    ExplainVerbs,
    BulkVerbs,
    ReconcileVerb,
    EraseVerbs,
    TriageVerbs,
    RetentionVerbs,
    ErrorGroupVerbs,
    HeartbeatVerbs,
    LimitVerbs,
    StatisticsVerbs,
    WorkerVerbs,
    TypeVerbs,
    AttemptVerbs,
    TimelineVerb {
  /** What is kept of one job, or a page of finished jobs, newest first. */
  readonly history: ReadHistory;
  /** Exclusive groups that are locked while jobs of theirs wait: holder, start, end, and number of waiting jobs. A bounded scan of Jobs. */
  blockedGroups(options?: BlockedGroupsOptions): Promise<BlockedGroups>;
  /** Which shards of Timers acquirers hold now, and which locks a dead one left. One query. */
  acquireLocks(): Promise<readonly AcquireLock[]>;
  /** Recurring schedules: list, put, pause, resume, run now, preview. */
  readonly schedules: ScheduleAdmin;
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
    backfill: async (name, options, watch) => backfill(deps, name, options, watch),
    cancelWhere: async (filter, options, watch) => cancelWhere(deps, filter, options, watch),
  });
  const jobs = jobMethods(deps);
  const admin: Admin = {
    ...batches,
    ...events,
    ...later,
    ...auditVerbs(deps),
    ...switchVerbs(deps),
    ...ruleVerbs(deps),
    ...jobs,
    ...manyIdsVerbs(jobs),
    ...readVerbs(deps),
    ...editPayloadVerb(deps),
    ...bulkVerbs(deps),
    ...eraseVerbs(deps),
    ...errorGroupVerbs(deps),
    ...triageVerbs(deps),
    ...retentionVerbs(deps),
    ...statisticsVerbs(deps),
    heartbeats: async () => readHeartbeats(deps),
    ...limitVerbs(deps),
    ...explainVerbs(deps),
    ...workerVerbs(deps),
    ...typeVerbs(deps),
    ...attemptVerbs(deps),
    ...timelineVerb(deps),
    reconcile: async (options) => reconcile(deps, options),
    blockedGroups: async (options) => blockedGroups(deps, options),
    acquireLocks: async () => acquireLocks(deps),
    history: historyReader(deps),
    forTenant: (tenant) => tenantAdmin(deps, admin, tenant),
  };
  return admin;
}
