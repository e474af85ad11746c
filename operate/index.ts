// What an operator's script imports from `nightcrew/admin`.
export type { AcquireLock } from './acquire-locks.ts';
export { createActivation, type Activation, type ActivationOptions, type ActivationStatus, type ActivationTargets } from './activation.ts';
export type { SdkCaller } from './activation-calls.ts';
export type { Admin } from './admin.ts';
export type { AuditOptions, AuditPage, AuditRecord } from '../shared/features/audit/admin/audit-log.ts';
export type { BatchPage, BatchVerbs } from '../shared/features/batches/admin/batch-verbs.ts';
export type { BlockedGroup, BlockedGroups, BlockedGroupsOptions, GroupJob } from './blocked-groups.ts';
export type { BulkFailure, BulkOptions, BulkProgress, BulkReport, BulkSample, BulkVerbs } from './bulk/bulk-verbs.ts';
export type { CancelWhereOptions, CancelWhereReport } from './cancel-where.ts';
export type { HeldBy, HeldGroup } from '../shared/features/group-order/admin/held-groups.ts';
export type { ErrorGroup, ErrorGroupPage, ErrorGroupVerbs } from '../shared/features/error-groups/admin/error-group.ts';
export type { ErasedJobs, ErasedKind, EraseOptions, EraseScope, ErasureReport, EraseVerbs, TenantEraseVerbs } from './erase/erasure.ts';
export type { Explanation, ExplanationCode, ExplainVerbs, NextActor } from './explain/explanation.ts';
export type { AuditContext } from '../shared/operator/act.ts';
export type { AnyOf, FilterFields, JobFilter, ListOptions, ListOrder, NumberRange } from './jobs/job-filter.ts';
export type { JobView, LiftedPayload } from './jobs/job-view.ts';
export type { ReconcileOptions, ReconcileReport, ReconcileVerb } from './reconcile/reconcile.ts';
export type { Finding, FindingCounts, FindingKind, FindingOutcome } from './reconcile/findings.ts';
export type { FindByKeyOptions, FoundByKey, HeldKey, JobCounts, JobPage, ReadVerbs } from './jobs/read-verbs.ts';
export type { BulkOutcomes } from './many-ids.ts';
export { type AdminOptions, createAdmin } from './create-admin.ts';
export type { ListedPriority, ListedSuspension, RuleVerbs, SuspendOptions } from '../shared/features/rules/admin/rule-verbs.ts';
export type {
  ListedRetention,
  RetentionPreview,
  RetentionScope,
  RetentionVerbs,
} from '../shared/features/retention/admin/retention-verbs.ts';
export type { Heartbeat, HeartbeatVerbs } from './heartbeats.ts';
export type { LimitUse, LimitUses } from '../shared/features/limits/admin/limit-use.ts';
export type { LimitVerbs, ListedLimit, SetNumber } from '../shared/features/limits/admin/limit-verbs.ts';
export type {
  MinuteStatistics,
  NamedStatistics,
  StatisticsOptions,
  StatisticsVerbs,
} from '../shared/features/statistics/admin/statistics.ts';
export type { JobTimeline, TimelineEntry, TimelineVerb } from './timeline.ts';
export type { TenantAdmin } from './tenant-admin.ts';
export type { TriageVerbs } from '../shared/features/error-groups/admin/triage-verbs.ts';
export type { BulkAction, JobVerbs } from './verbs.ts';
export type { DeleteOptions } from './verbs/delete.ts';
export type { PatchOptions, PatchOutcome } from './verbs/patch.ts';
export type { RedriveOptions, RedriveOutcome } from './verbs/redrive.ts';
export type { DueOptions, SetDueDateOutcome } from './verbs/set-due-date.ts';
export type { SetRetriesOutcome } from './verbs/set-retries.ts';
export type { NotDone } from './verbs/verb.ts';
export type { TypeBacklog, TypeList, TypeOnWorker, TypeVerbs, TypeView } from './type-view.ts';
export type { WorkerVerbs, WorkerView } from '../shared/features/workers/admin/worker-view.ts';
export type { BackfillOptions, BackfillReport } from '../shared/features/schedules/admin/backfill.ts';
export type { ScheduleEdit } from '../shared/features/schedules/model/edit.ts';
export type {
  ScheduleAdmin,
  ScheduleEdited,
  ScheduleEditOptions,
  SchedulePage,
  ScheduleView,
} from '../shared/features/schedules/admin/schedules.ts';
export type { MergePatch } from '../shared/job/merge-patch.ts';
export type { PastError } from '../shared/job/last-errors.ts';
export type { ShownError } from '../shared/job/shown-error.ts';
export type { AttemptEntry, FinishedEntry, JobHistory } from '../shared/features/history/model/history-entry.ts';
export type {
  AttemptFilter,
  AttemptListOptions,
  AttemptOrder,
  AttemptPage,
  AttemptVerbs,
  ListedAttempt,
} from './attempts/attempt-filter.ts';
export type { HistoryListing, HistoryQuery, ReadHistory } from '../shared/features/history/admin/history.ts';
export type { EventQuery, EventSinksSwitch, EventVerbs } from '../shared/features/events/admin/event-verbs.ts';
export type { JobEvent, JobEventName } from '../shared/ports/event-sink.ts';
export type { EventPage } from '../shared/features/events/store/event-log.ts';
export type { EventSwitch } from '../shared/features/events/store/event-switch.ts';
export type { PriorityScope, SuspensionScope } from '../shared/features/rules/model/rules.ts';
export type { LeftAlone } from '../shared/store/change-located.ts';
