// Everything an executor Lambda needs; handlers import what they share with producers from the main entry, or from here.
export { LeaseLostError, NonRetryableError, RetryAfterError, WorkerStoppingError } from '../../shared/core/errors.ts';
export type { CompleteOptions, FollowUp, HandledJob, JobContext, JobHandler, JobLog, Verdict } from '../../shared/core/job-type.ts';
export type { JobInfo } from '../../shared/core/job-info.ts';
export { followUp } from '../../shared/core/follow-up.ts';
export { complete, continueWith, fail, snooze } from '../../shared/core/verdict.ts';
export type { SqsBatchResponse, SqsEvent, SqsRecord } from '../../shared/adapters/sqs/event.ts';
export { createExecutor, type ExecutorHandler, type ExecutorOptions } from '../executor/create-executor.ts';
export type { EndAnswer, External, ExternalFailure, ExternalTask, LockAnswer } from './external/external.ts';
export { external, type ExternalOptions } from './external/create-external.ts';
export { runWorker, type RunWorkerOptions } from './run-worker.ts';
export type { AttemptOutcome, LoggedLine } from '../../shared/core/attempt.ts';
export type { AttemptSession, OnSession, SessionEntry } from '../executor/session.ts';
export type { Around, OnError } from '../executor/deps.ts';
