import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Proof, PROOFS } from './coming-from-proofs.ts';
import { sourceFiles } from './source-files.ts';

const PAGE = readFileSync('docs/guides/coming-from-flowable-and-camunda.md', 'utf8');

interface Entry {
  readonly theirs: string;
  readonly ours: string;
}

const ENTRIES: readonly Entry[] = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, theirs = '', ours = '']) => ({ theirs, ours }))
  .filter(({ ours }) => ours !== 'Nightcrew');

const SOURCE = new Set(
  sourceFiles()
    .filter(({ path }) => /^(shared|functions|operate|testing|infra|cli)\//.test(path))
    .flatMap(({ text }) => text.match(/[A-Za-z][A-Za-z0-9-]*/g) ?? []),
);

/** The names in code that an entry gives for ours. */
const namesOf = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/[A-Za-z][A-Za-z0-9-]*/g) ?? []);

/** The tests that show what a row claims. */
function proofsOf(theirs: string): readonly Proof[] {
  const given = Object.entries(PROOFS).find(([start]) => theirs.startsWith(start))?.[1] ?? [];
  return (typeof given[0] === 'string' ? [given] : given) as readonly Proof[];
}

/** Sections whose rows say how something behaves; the others map settings by name. */
const BEHAVIOURAL = ['The idea', 'Job types and states', 'API calls', 'Filters of queries', 'Events and metrics', 'Behaviour'];

const CLAIMS: readonly string[] = PAGE.split(/^## /m)
  .filter((section) => BEHAVIOURAL.includes(section.slice(0, section.indexOf('\n'))))
  .flatMap((section) => ENTRIES.filter(({ theirs, ours }) => !ours.startsWith('none') && section.includes(`\n| ${theirs} | ${ours} |`)))
  .map(({ theirs }) => theirs);

/** Every property that the two models' documents name, so that nobody looks for one in vain. */
const PROPERTIES = [
  'asyncExecutorActivate',
  'asyncExecutorCorePoolSize',
  'asyncExecutorMaxPoolSize',
  'asyncExecutorThreadPoolQueueSize',
  'asyncExecutorThreadKeepAliveTime',
  'asyncExecutorNumberOfRetries',
  'asyncExecutorMaxTimerJobsPerAcquisition',
  'asyncExecutorMaxAsyncJobsDuePerAcquisition',
  'asyncExecutorDefaultTimerJobAcquireWaitTime',
  'asyncExecutorDefaultAsyncJobAcquireWaitTime',
  'asyncExecutorDefaultQueueSizeFullWaitTime',
  'asyncExecutorTimerLockTimeInMillis',
  'asyncExecutorAsyncJobLockTimeInMillis',
  'asyncExecutorSecondsToWaitOnShutdown',
  'asyncExecutorResetExpiredJobsInterval',
  'asyncExecutorResetExpiredJobsPageSize',
  'asyncExecutorMessageQueueMode',
  'jobExecutorActivate',
  'producePrioritizedJobs',
  'jobExecutorAcquireByPriority',
  'jobExecutorPreferTimerJobs',
  'jobExecutorAcquireByDueDate',
  'jobExecutorPriorityRangeMin',
  'jobExecutorPriorityRangeMax',
  'jobExecutorDeploymentAware',
  'jobExecutorAcquireExclusiveOverProcessHierarchies',
  'ensureJobDueDateNotNull',
  'failedJobRetryTimeCycle',
  'customPostBPMNParseListeners',
  'historyCleanupJobPriority',
  'batchJobPriority',
  'idGenerator',
  'idBlockSize',
  'globalAcquireLockEnabled',
  'moveTimerExecutorPoolSize',
  'loggingSessionEnabled',
  'setOverridingJobPriorityForJobDefinition',
  'clearOverridingJobPriorityForJobDefinition',
  'setJobPriority',
  'getEventLogEntries',
  'getRegisteredDeployments',
  'bulkInsertEnabled',
  'configurators',
  'concurrentConsumers',
  'deleteDeadLetterJob',
  'changeTenantId',
  'withoutTenantId',
  // What the references of both engines list besides.
  'createJobDefinitionQuery',
  'createHistoricJobLogQuery',
  'createUserOperationLogQuery',
  'createMetricsQuery',
  'createBatchQuery',
  'suspendBatchById',
  'deleteBatch',
  'suspendJobById',
  'suspendJobByProcessInstanceId',
  'createDeadLetterJobQuery',
  'createHistoryJobQuery',
  'createChangeTenantIdBuilder',
  'getEventLogEntriesByProcessInstanceId',
  'deleteExternalWorkerJob',
  'getLockManager',
  'cleanUpHistoryAsync',
  'executeCommand',
  'defaultNumberOfRetries',
  'asyncJobAcquisitionEnabled',
  'timerJobAcquisitionEnabled',
  'resetExpiredJobEnabled',
  'timerRunnableNeeded',
  'asyncExecutorResetExpiredJobsMaxTimeout',
  'asyncHistoryExecutorNumberOfRetries',
  'globalAcquireLockPrefix',
  'timerLockWaitTime',
  'timerLockPollRate',
  'timerLockForceAcquireAfter',
  'unlockOwnedJobs',
  'enabledJobCategories',
  'asyncRunnableExecutionExceptionHandlers',
  'failedJobCommandFactory',
  'jobProcessors',
  'jobHandlers',
  'defaultFailedJobWaitTime',
  'asyncFailedJobWaitTime',
  'maxJobsPerAcquisition',
  'waitTimeInMillis',
  'waitIncreaseFactor',
  'maxWait',
  'backoffTime',
  'maxBackoff',
  'backoffDecreaseThreshold',
  'lockTimeInMillis',
  'batchJobsPerSeed',
  'invocationsPerBatchJob',
  'batchPollTime',
  'registerDeploymentForJobExecutor',
  'executeJob',
  'executeHistoryJob',
  'moveTimerToExecutableJob',
  'moveJobToDeadLetterJob',
  'moveDeadLetterJobToExecutableJob',
  'moveDeadLetterJobToHistoryJob',
  'bulkMoveDeadLetterJobs',
  'bulkMoveDeadLetterJobsToHistoryJobs',
  'moveSuspendedJobToExecutableJob',
  'deleteJob',
  'deleteTimerJob',
  'deleteSuspendedJob',
  'setJobRetries',
  'setJobRetriesAsync',
  'setJobDuedate',
  'recalculateJobDuedate',
  'rescheduleTimeDateJob',
  'getExternalWorkerJobErrorDetails',
  'findJobByCorrelationId',
  'unacquireExternalWorkerJob',
  'changeDeploymentTenantId',
  'fetchAndLock',
  'extendLock',
  'handleFailure',
  'handleBpmnError',
  'createIncidentQuery',
  'createHistoricIncidentQuery',
  'setAnnotationForIncidentById',
  'createIncidentOnFailedJobEnabled',
  'asyncHistoryExecutorActivate',
  'handlerType',
  'duedateLowerThan',
  'duedateHigherThan',
  'withException',
  'exceptionMessage',
  'withRetriesLeft',
  'noRetriesLeft',
  'failedActivityId',
  'createdBefore',
  'priorityHigherThanOrEquals',
  'lockOwner',
  'or',
  'JOB_CANCELED',
  'JOB_EXECUTION_FAILURE',
  'JOB_EXECUTION_SUCCESS',
  'JOB_MOVED_TO_DEADLETTER',
  'JOB_REJECTED',
  'JOB_RESCHEDULED',
  'JOB_RETRIES_DECREMENTED',
  'TIMER_FIRED',
  'TIMER_SCHEDULED',
  'job-successful',
  'job-locked-exclusive',
];

describe('the page for those who come from Flowable and Camunda', () => {
  test.each(ENTRIES)('names nothing of ours that does not exist, for $theirs', ({ ours }) => {
    expect(namesOf(ours).filter((name) => !SOURCE.has(name) && !/^[A-Z]\d|^PT/.test(name))).toEqual([]);
  });

  test.each(PROPERTIES)('says what became of %s', (property) => {
    expect(ENTRIES.some(({ theirs }) => theirs.includes(`\`${property}`))).toBe(true);
  });

  test.each(CLAIMS)('claims nothing that no test shows, for %s', (theirs) => {
    expect(proofsOf(theirs)).not.toEqual([]);
    expect(proofsOf(theirs).filter(([file, title]) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title))).toEqual([]);
  });

  test('has a row for each test that is named', () => {
    expect(CLAIMS.length).toBeGreaterThan(50);
    expect(Object.keys(PROOFS).filter((start) => !CLAIMS.some((theirs) => theirs.startsWith(start)))).toEqual([]);
  });

  test('gives an answer in every row', () => {
    expect(ENTRIES.filter(({ ours }) => ours === '')).toEqual([]);
    expect(ENTRIES.length).toBeGreaterThan(80);
  });
});
