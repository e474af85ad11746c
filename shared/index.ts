// Everything a producer needs: job types, the client, and what handlers share with them.
export { createJobClient, type JobClientOptions } from './client/create-job-client.ts';
export type { CancelByKeyOptions, CancelledByKey } from './client/cancel-by-key.ts';
export type { CancelAnswer, CancelOptions } from './client/cancel-job.ts';
export type { JobBatch } from './client/batch-builder.ts';
export type { BatchOptions } from './client/batch-options.ts';
export type { BatchVerbs, EnqueueBatchOptions, EnqueuedBatch } from './client/batches.ts';
export type { BeforeCreate, JobDraft } from './client/draft.ts';
export type { Enqueued } from './client/enqueue.ts';
export type { EnqueueManyOptions, EnqueueManyReport } from './client/enqueue-many.ts';
export type { JobClient, JobSnapshot, Prepared } from './client/job-client.ts';
export type { JobResult, WaitOptions } from './client/wait-for-result.ts';
export type { BatchCallback, BatchCounts, BatchOutcome } from './core/batch-progress.ts';
export type { BatchProgress } from './core/batch-snapshot.ts';
export type { Duration } from './core/duration.ts';
export { type EnqueueOptions, type FollowUp, followUp, type UniqueKey } from './core/enqueue-options.ts';
export {
  BatchClosedError,
  BatchUnknownError,
  ChainLimitError,
  DefinitionThrewError,
  type ErrorCode,
  IdInUseError,
  InvalidConfigurationError,
  InvalidInputError,
  InvalidVerdictError,
  JobCancelledError,
  JobTimedOutError,
  KeyContestedError,
  MissingEnvironmentError,
  MissingPackageError,
  NightcrewError,
  NonRetryableError,
  PayloadTooLargeError,
  RetryAfterError,
  StoreRefusedError,
  StoreUnavailableError,
  UnauditedError,
} from './core/errors.ts';
export { createEventBridgeSink, type EventBridgeCaller, type EventBridgeSinkOptions } from './eventbridge/event-bridge-sink.ts';
export type { EventSink, JobEvent, JobEventName, OnEvent } from './ports/event-sink.ts';
export type { JobRef } from './ports/journal.ts';
export type { AttemptOutcome } from './core/attempt.ts';
export type { AttemptEntry, FinishedEntry, JobHistory, ShownError } from './core/history-entry.ts';
export type { HistoryLevel } from './core/history-level.ts';
export type { Instant } from './core/instant.ts';
export type { DeadReason, JobState } from './core/job.ts';
export { jobIdFrom } from './core/job-id.ts';
export {
  type AnyJobType,
  defineJob,
  type HandledJob,
  type JobContext,
  type JobHandler,
  type JobInfo,
  type JobLog,
  type JobType,
  type JobTypeOptions,
  type RetryFor,
} from './core/job-type.ts';
export { defineLimit, type Limit, type LimitOptions, type LimitShape } from './core/limit.ts';
export { exponential, type RetryInput, type RetryPolicy } from './core/retry-policy.ts';
export {
  defineSchedule,
  type MissedPolicy,
  type OverlapPolicy,
  type ScheduleDefinition,
  type ScheduleOptions,
} from './core/schedule/definition.ts';
export { type CronDialect, cronFrom } from './core/schedule/foreign-cron.ts';
export type { PreviewedOccurrence, RecurrenceInput } from './core/schedule/recurrence.ts';
export { complete, type CompleteOptions, continueWith, fail, snooze, type Verdict } from './core/verdict.ts';
