import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { installClient } from '../../shared/client/installed-client.ts';
import type { JobSnapshot } from '../../shared/client/job-client.ts';
import type { Duration } from '../../shared/job/duration.ts';
import type { AnyJobType, HandledJob, JobType } from '../../shared/job/job-type.ts';
import type { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { flushAfter } from '../../shared/adapters/observability/flush-after.ts';
import { checkEachOption } from '../../shared/job/option-checks.ts';
import { advanceBy, drainNow } from './drain.ts';
import { deadLettersOf, type EnqueuedJob, enqueuedJobs, type KeptDeadLetter } from './kept-jobs.ts';
import { checkErrors, KIT_CHECKS } from './kit-checks.ts';
import { createKitClient, type KitClient } from './kit-client.ts';
import type { TestKitOptions } from './kit-options.ts';
import { type DrainSummary, type JobRun, summaryOf } from './kit-runs.ts';
import { createWorld, type KitWorld } from './kit-world.ts';
import { runOne } from './run-job.ts';
import type { RunBudget } from './deliver.ts';

/** A deployment in memory, with a clock that stands still until the test advances it. */
export interface TestKit {
  /** The real client. Handlers under test may use it too. */
  readonly client: KitClient;
  readonly admin: Admin;
  /** Stands still; `advance` moves it and runs due jobs, `clock.advance(ms)` only moves it, for a handler that takes long. */
  readonly clock: SettableClock;
  /** Runs everything that is due now, follow-ups included. Throws when that does not end (`maxRuns`). */
  drain(): Promise<DrainSummary>;
  /** Runs what is due now, then moves time on, from due time to due time, so that timers and retries happen in order. */
  advance(duration: Duration): Promise<DrainSummary>;
  /**
   * Runs only this job, now, regardless of its due time. The outcome is recorded as in production; then what the handler
   * threw is thrown on, unless `errors` is `record`.
   */
  runJob(id: string, options?: { readonly errors?: 'record' | 'throw' }): Promise<JobRun>;
  /** Jobs of a type that are still to run, by due time: what was enqueued, with its options. Without a type: all. */
  enqueued<Input, Output>(type: JobType<Input, Output>): readonly EnqueuedJob<Input>[];
  enqueued(): readonly EnqueuedJob[];
  deadLetters<Input, Output>(type: JobType<Input, Output>): readonly KeptDeadLetter<Input>[];
  deadLetters(): readonly KeptDeadLetter[];
  /** What handlers gave to `complete({ transact })`, of completions that were recorded, in order. */
  transacted(): readonly unknown[];
  /** A job in any state. */
  job(id: string): Promise<JobSnapshot | undefined>;
  /**
   * Makes every client of `createJobClient()` in this process use this kit, also those that modules made when they were
   * imported. Gives back what ends it, so that `beforeEach(() => kit.install())` of Vitest cleans up by itself.
   */
  install(): () => void;
}

/**
 * The production code (client, executor, acquirer, sweeper, admin) over tables and queues in memory, for unit tests of your own
 * handlers and producers. Give `type.handle(fn)` for jobs that run, and plain types for jobs that are only enqueued.
 */
export function createTestKit(handlers: readonly (HandledJob | AnyJobType)[] = [], options: TestKitOptions = {}): TestKit {
  checkEachOption(options, KIT_CHECKS);
  const world = createWorld(handlers, options);
  const flush = async (): Promise<void> => world.events.flush();
  const client = flushAfter(createKitClient(world, options), flush);
  const gathered = async (work: (budget: RunBudget) => Promise<void>): Promise<DrainSummary> => {
    const before = world.journal.runs.length;
    await work({ left: world.maxRuns });
    await flush();
    const thrown = world.journal.takeThrown();
    if (options.errors === 'throw') throwAll(thrown);
    return summaryOf(world.journal.runs.slice(before));
  };
  return {
    client,
    admin: flushAfter(createAdminOver({ ...world, journal: world.events.outside }), flush),
    clock: world.clock,
    drain: () => gathered((budget) => drainNow(world, budget)),
    advance: (duration) => gathered((budget) => advanceBy(world, duration, budget)),
    async runJob(id, given = {}) {
      checkEachOption(given, { errors: checkErrors });
      return runJob(world, client, { id, errors: given.errors ?? 'throw' });
    },
    ...keptJobs(world),
    transacted: () => [...world.ownItems],
    job: (id) => client.get(id),
    install: () => installClient((given) => createKitClient(world, given)),
  };
}

async function runJob(world: KitWorld, client: KitClient, asked: { readonly id: string; readonly errors: string }): Promise<JobRun> {
  const run = await runOne(world, client, asked.id);
  const thrown = world.journal.takeThrown();
  if (asked.errors === 'throw') throwAll(thrown);
  return run;
}

/** The overloads of TestKit: the requested type determines the payload type. */
function keptJobs(world: KitWorld): Pick<TestKit, 'enqueued' | 'deadLetters'> {
  return {
    enqueued: (type?: AnyJobType) => enqueuedJobs(world, type) as readonly EnqueuedJob<never>[],
    deadLetters: (type?: AnyJobType) => deadLettersOf(world, type) as readonly KeptDeadLetter<never>[],
  };
}

function throwAll(thrown: readonly unknown[]): void {
  if (thrown.length === 1) throw thrown[0];
  if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} runs threw.`);
}
