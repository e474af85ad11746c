/** A test that shows what a row of docs/guides/coming-from-flowable-and-camunda.md claims: its file, and a part of its title. */
export type Proof = readonly [file: string, title: string];

const flow = (name: string, title: string): Proof => [`test/flow/${name}.test.ts`, title];
const unit = (name: string, title: string): Proof => [`test/unit/core/${name}.test.ts`, title];
const BESIDE = 'schedule/beside-engines';

/** By how the first cell of a row begins. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  // The idea
  'job tables polled by': flow('plain-job', 'that is due in an hour waits in Timers, fires ahead of time and runs at its time'),
  "Flowable's message-queue mode": flow('sweeper', 'sends the hint again of a job whose message was lost'),
  'lock owner, lock expiration time': flow('outside-worker', 'that stalls past its lease loses the fence'),
  'revision, `OptimisticLockingException`': ['test/race/races.test.ts', 'that finds a live owner comes back when that lease ends'],
  'job is deleted and inserted anew': flow('executor-outcomes', 'it is still found by its id'),
  'ID block generator': unit('job-id', 'is a UUIDv7 that holds the time at which the job is first due'),
  // Job types and states
  'async job (': flow('plain-job', 'is enqueued, claimed, run once and finished, and History keeps it'),
  'timer job (': flow('plain-job', 'that is due in an hour waits in Timers'),
  'repeated timer (': flow('schedules', 'goes on after a run that fails for good'),
  'suspended job (': flow('suspension', 'keeps jobs of a type from starting, moves them aside'),
  'dead-letter job (': flow('plain-job', 'ends as a dead letter with its error and its counters'),
  'external worker job': flow('external', 'keeps a job by extending its lock'),
  'job handler (': flow('executor-outcomes', 'a job of an unknown type waits without losing anything'),
  'job type survives': flow('redrive', 'keeps what kind of job it is, whether it runs now or later'),
  'parallel service tasks': flow('executor', 'runs its jobs side by side, and one by one when told to'),
  // API calls
  '`executeJob`': flow('suspended-job', 'runs now although it waits, or is ready and not due'),
  '`createJobQuery`': flow('operator-reading', 'has exactly these jobs, on one page, on small pages, and in the count'),
  '`getJobExceptionStacktrace`': flow('operator-reading', 'gives a job of any state with payload, error and stack'),
  '`moveTimerToExecutableJob`': flow('suspended-job', 'runs now although it waits, or is ready and not due'),
  '`rescheduleTimerJob`': flow('executor-outcomes', 'moves a timer nearer, further and into the queue'),
  '`moveJobToDeadLetterJob`': flow('plain-job', 'that says fail, or throws NonRetryableError, is a dead letter at once'),
  '`moveDeadLetterJobToExecutableJob': flow('redrive', 'takes the unique key again, and refuses while another job holds it'),
  '`moveSuspendedJobToExecutableJob`': flow('suspended-job', 'runs now while its type is suspended'),
  '`deleteJob`': flow('executor-outcomes', 'of a running job fires its AbortSignal at the next look'),
  '`deleteDeadLetterJob`': flow('edits', 'is gone for good, and only the audit remembers it'),
  '`setJobRetries`, `setTimerJobRetries`': flow('retries', 'gives a ready job that many tries from now on'),
  '`setJobRetriesAsync`': flow('bulk-actions', 'sets retries, of dead letters too'),
  '`setJobPriority`': flow('runtime-priority', 'puts a ready job into the lane of its new priority'),
  '`setOverridingJobPriorityForJobDefinition`': flow('runtime-priority', 'counts with cascade also for jobs that were there'),
  '`suspendJobDefinitionById`': flow('suspension', 'begins at `from` and ends at `until` by itself'),
  'debugger breakpoint': flow('suspended-job', 'stops at a breakpoint, whatever ends meanwhile'),
  'batch, seed and monitor jobs': flow('batches', 'fires completed and succeeded once when every child has succeeded'),
  'external task: `fetchAndLock`': flow('external', 'completes it once: a second answer finds the lock gone'),
  '`changeTenantId`': flow('edits', 'is not made of one that runs, belongs to a batch or waits for its schedule'),
  '`createIncidentQuery`': flow('error-groups', 'is open until the last of its jobs was redriven, got retries or was deleted'),
  '`withoutTenantId`': flow('operator-reading', 'has exactly these jobs, on one page, on small pages, and in the count'),
  '`getRegisteredDeployments`': flow('workers', 'reports the types that it has handlers for'),
  'execute jobs by hand': ['test/unit/testing/test-kit.test.ts', 'runs one job that is due in a week, and nothing else'],
  // Behaviour
  'exclusive jobs: one of': flow('exclusive-groups', 'never runs two jobs at once, whatever their type and worker'),
  '`exclusive="false"`': flow('exclusive-groups', 'keeps the group as a label: the job takes no lock'),
  'three tries; Camunda': unit('retry-policy', 'is three tries, exponential from 10 s, by default'),
  'optimistic-lock failures': flow('executor-outcomes', 'optimistic-lock conflicts are retried without counting'),
  'a job that kills its process': flow('sweeper', 'buries a job that killed its process alone as often as the limit says'),
  '`FlowableUnrecoverableJobException`': unit('decide', 'by an error that is not retryable, anywhere in the chain of causes'),
  'a start and `R3/': unit(BESIDE, 'R3/start/PT1H comes three times'),
  '`R/PT1H/end` is counted back': unit(BESIDE, 'R/PT1H/end counts from when the schedule was made'),
  '`R/start/end` as a cycle': unit(BESIDE, 'R/start/end is refused'),
  'P1M from the 31st': unit('schedule/recurrence', 'of months comes back to the 31st'),
  'day 2 of the week': unit(BESIDE, '2 as the day of the week is Tuesday'),
  '`PT10M` alone': unit(BESIDE, 'PT10M alone is two'),
  '`R9/PT10M,PT17M,PT20M`': unit(BESIDE, 'R9 with a list is nine executions'),
  'more tries than intervals': unit('retries-by-the-book', 'the last interval repeats while there are more tries'),
  'a cycle whose last run fails': flow('schedules', 'goes on after a run that fails for good'),
  'unbounded cycles collapse': flow('schedules', 'applies the missed policy when it goes on'),
  "cron in the server's zone": unit('schedule/recurrence', 'is later by the length of a gap, or left out on that day'),
  'priority is static': flow('lanes', 'a busy lane keeps no other waiting'),
  'jobs and application data': flow('follow-ups', 'whose condition fails keep everything from happening'),
  'tenant id, up to 256': flow('tenants', 'takes its own tenant as an option, and refuses another before anything is written'),
  'history level': flow('history', 'follows the deployment where the type says nothing'),
};
