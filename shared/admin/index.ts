// What an operator's script imports from `nightcrew/admin`.
export { createActivation, type Activation, type ActivationOptions, type ActivationStatus, type ActivationTargets } from './activation.ts';
export type { Admin } from './admin.ts';
export type { BlockedGroup, BlockedGroups, BlockedGroupsOptions, GroupJob } from './blocked-groups.ts';
export type { CancelWhereOptions, CancelWhereReport } from './cancel-where.ts';
export type { JobFilter } from './matching-jobs.ts';
export type { BulkOutcomes, DueOptions, RedriveOptions, RedriveOutcome, SetDueDateOutcome, SetRetriesOutcome } from './retries.ts';
export { type AdminOptions, createAdmin } from './create-admin.ts';
export type { ScheduleAdmin, SchedulePage, ScheduleView } from './schedules.ts';
