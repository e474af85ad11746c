// Everything a producer needs: job types, the client, and what handlers share with them.
export { createJobClient } from './client/create-job-client.ts';
export type { JobClientOptions, OwnStoreOptions } from './client/job-client-options.ts';
export { deploymentEnvironment, type DeploymentOptions, type OwnWorkerOptions } from './config/own-deployment.ts';
export type { OwnPorts } from './ports/own-ports.ts';
export type { CancelByKeyOptions, CancelledByKey } from './client/cancel-by-key.ts';
export type { CancelAnswer, CancelOptions } from './client/cancel-job.ts';
export type { JobBatch } from './features/batches/client/batch-builder.ts';
export type { BatchOptions } from './features/batches/client/batch-options.ts';
export type { BatchVerbs, EnqueueBatchOptions, EnqueuedBatch } from './features/batches/client/batches.ts';
export type { BeforeCreate, JobDraft } from './client/job-draft.ts';
export type { Enqueued } from './client/enqueue.ts';
export type { EnqueueManyOptions, EnqueueManyReport } from './client/enqueue-many.ts';
export type { JobClient, JobSnapshot, Prepared } from './client/job-client.ts';
export type { JobResult, WaitOptions } from './client/wait-for-result.ts';
export { BacklogFullError } from './features/backlogs/model/backlog-full-error.ts';
export type { BatchCallback, BatchCounts, BatchOutcome } from './features/batches/model/batch-progress.ts';
export type { BatchProgress } from './features/batches/model/batch-snapshot.ts';
export type { Duration } from './job/duration.ts';
export type { EnqueueOptions } from './job/enqueue-options.ts';
export type { OnConflict, UniqueKey, UniqueKeyOptions } from './job/key-conflict.ts';
export { followUp } from './job/follow-up.ts';
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
  UpcastThrewError,
} from './job/errors.ts';
export { createEventBridgeSink, type EventBridgeCaller, type EventBridgeSinkOptions } from './adapters/eventbridge/event-bridge-sink.ts';
export type { EventSink, JobEvent, JobEventName, OnEvent } from './ports/event-sink.ts';
export type { JobRef } from './ports/journal.ts';
export type { AttemptOutcome } from './job/attempt.ts';
export type { ShownError } from './job/shown-error.ts';
export type { AttemptEntry, FinishedEntry, JobHistory } from './features/history/model/history-entry.ts';
export type { HistoryLevel } from './job/history-level.ts';
export type { GroupInput, GroupOptions, OnGroupFailure } from './job/group.ts';
export type { Instant } from './job/instant.ts';
export type { DeadReason, JobState } from './job/job.ts';
export { jobIdFrom } from './job/job-id.ts';
export type { AnyJobType, CancelByKey, CompleteOptions, FollowUp, HandledJob, JobContext, JobHandler } from './job/job-type.ts';
export type { JobLog } from './job/job-log.ts';
export { defineJob, type JobType, type JobTypeOptions, type OnExpiry, type RetryFor, type Verdict } from './job/job-type.ts';
export type { JobInfo } from './job/job-info.ts';
export type { PastError } from './job/last-errors.ts';
export { defineLimit, type Limit, type LimitOptions, type LimitShape } from './job/limit.ts';
export { exponential, type RetryInput, type RetryPolicy } from './job/retry-policy.ts';
export {
  defineSchedule,
  type MissedPolicy,
  type OverlapPolicy,
  type ScheduleDefinition,
  type ScheduleOptions,
} from './features/schedules/model/definition.ts';
export { type CronDialect, cronFrom } from './features/schedules/model/foreign-cron.ts';
export type { PreviewedOccurrence, RecurrenceInput } from './features/schedules/model/recurrence.ts';
export { defineJobWith, type JobTypeDefaults } from './job/define-job-with.ts';
export { claimCheck, type ClaimCheckOptions } from './features/claim-check/model/claim-check.ts';
export { type CodecDefinition, defineCodec, PayloadCodecError } from './job/define-codec.ts';
export type { EncodedPayload, PayloadCodec, PayloadContext } from './job/payload-codec.ts';
export type { Upcast, Upcasts } from './job/upcast.ts';
export { complete, continueWith, fail, snooze } from './job/verdict.ts';
