// Everything that an executor Lambda needs. Handlers import the parts shared with producers from the main entry or from here.
export { LeaseLostError, NonRetryableError, RetryAfterError, WorkerStoppingError } from '../shared/job/errors.ts';
export type { CancelByKey, CompleteOptions, FollowUp, HandledJob, JobContext, JobHandler, Verdict } from '../shared/job/job-type.ts';
export type { JobLog } from '../shared/job/job-log.ts';
export type { JobInfo } from '../shared/job/job-info.ts';
export { followUp } from '../shared/job/follow-up.ts';
export { complete, continueWith, fail, snooze } from '../shared/job/verdict.ts';
export type { SqsBatchResponse, SqsEvent, SqsRecord } from '../shared/adapters/sqs/event.ts';
export { createExecutor, type ExecutorHandler, type ExecutorOptions } from './executor/create-executor.ts';
export type { EndAnswer, External, ExternalCompletion, ExternalFailure, ExternalTask, LockAnswer } from './worker/external/external.ts';
// The deployment's own functions, for a deployment without the construct: call each with a tick as often as the construct would.
export { type AcquirerOptions, type AcquirerTick, createAcquirer } from './acquirer/create-acquirer.ts';
export { createSweeper } from './sweeper/create-sweeper.ts';
export { createHttpApi, type HttpApiOptions } from './api/create-http-api.ts';
export type { HttpAnswer, HttpEvent } from './api/function-url.ts';
export { external, type ExternalOptions } from './worker/external/create-external.ts';
export { runWorker, type RunWorkerOptions } from './worker/run-worker.ts';
export type { AttemptOutcome, LoggedLine } from '../shared/job/attempt.ts';
export type { AttemptSession, OnSession, SessionEntry } from './executor/deps.ts';
export type { Around, OnError } from './executor/deps.ts';
