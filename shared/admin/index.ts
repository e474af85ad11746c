// What an operator's script imports from `nightcrew/admin`.
export { createActivation, type Activation, type ActivationOptions, type ActivationStatus, type ActivationTargets } from './activation.ts';
export type { Admin } from './admin.ts';
export type { AuditOptions, AuditRecord } from './audit-log.ts';
export type { BatchPage, BatchVerbs } from './batch-verbs.ts';
export type { BlockedGroup, BlockedGroups, BlockedGroupsOptions, GroupJob } from './blocked-groups.ts';
export type { CancelWhereOptions, CancelWhereReport } from './cancel-where.ts';
export type { JobVerbs, Told } from './job-verbs.ts';
export type { JobCounts, JobPage, ListedJob, ListedState, ListOptions } from './list-jobs.ts';
export type { JobFilter } from './matching-jobs.ts';
export type { BulkOutcomes, DueOptions, RedriveOptions, RedriveOutcome, SetDueDateOutcome, SetRetriesOutcome } from './retries.ts';
export { type AdminOptions, createAdmin } from './create-admin.ts';
export type { ListedPriority, ListedSuspension, RuleVerbs, SuspendOptions } from './rule-verbs.ts';
export type { TenantAdmin } from './tenant-admin.ts';
export type { ScheduleAdmin, SchedulePage, ScheduleView } from './schedules.ts';
export type { AttemptEntry, FinishedEntry, JobHistory, ShownError } from '../core/history-entry.ts';
export type { HistoryListing, HistoryQuery, ReadHistory } from './history.ts';
