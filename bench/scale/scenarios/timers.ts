import { dueAtOf } from '../../../shared/job/job-id.ts';
import { DYNAMO } from '../model/aws-limits.ts';
import { ScaleWorld } from '../model/scale-world.ts';
import { quantile } from '../../frame/spread.ts';
import { figuresOf, type RunFigures } from '../figures.ts';
import { NOOP, noop, payloads } from './jobs.ts';

const MINUTE_MS = 60_000;
const CHUNK = 500;
/** Slow enough not to warm a new table. */
const SCHEDULED_PER_SECOND = 1_500;
/** Write units of a timer at the Jobs table: its put in a transaction, claim, completion. */
const JOBS_UNITS = 4;

/** Timers that are all due in the same second, fired by the acquirer's ticks and run: how late they are, and when the last has ended. */
export async function runTimers(jobs: number, warmTables: boolean): Promise<RunFigures> {
  const startedAt = performance.now();
  const lateness: number[] = [];
  let early = 0;
  const world = new ScaleWorld({
    handlers: NOOP,
    settings: { maxConcurrency: 1_000 },
    ...(warmTables ? { tables: { writes: DYNAMO.quotaWrites, reads: DYNAMO.quotaReads } } : {}),
    onEntry: ({ event, job }) => {
      if (event !== 'started' || job === undefined) return;
      const late = world.time.now - dueAtOf(job.id);
      lateness.push(late);
      if (late < 0) early++;
    },
  });
  const { horizonMs } = world.deployment.settings;
  const scheduling = Math.ceil((jobs / SCHEDULED_PER_SECOND) * 1_000);
  const dueAt = Math.ceil((world.time.now + scheduling) / MINUTE_MS) * MINUTE_MS + 40 * MINUTE_MS;
  await world.whileRunning(schedule(world, jobs, dueAt));
  await world.time.runUntil(dueAt - horizonMs - 5_000);
  world.tickFrom(dueAt - horizonMs - 5_000, () => world.counts.completed < jobs);
  await world.runUntil(() => world.counts.completed >= jobs, 24 * 60 * MINUTE_MS);
  lateness.sort((a, b) => a - b);
  return figuresOf(world, {
    size: jobs,
    jobs,
    drainMs: world.lastEndedAt - dueAt,
    startedAt,
    own: {
      boundSeconds: boundSeconds(jobs, warmTables ? DYNAMO.quotaWrites : DYNAMO.freshWrites, horizonMs),
      early,
      lateP50Ms: quantile(lateness, 0.5),
      lateP95Ms: quantile(lateness, 0.95),
      lateMostMs: lateness.at(-1) ?? 0,
    },
  });
}

/**
 * The minimum delay with which a Jobs table of this many write units a second can accept them: they are put up to a horizon
 * ahead, and each is claimed and completed after it is due.
 */
function boundSeconds(jobs: number, writes: number, horizonMs: number): number {
  return Math.max((jobs * (JOBS_UNITS - 2)) / writes, (jobs * JOBS_UNITS) / writes - horizonMs / 1000);
}

async function schedule({ client, time }: ScaleWorld, jobs: number, dueAt: number): Promise<void> {
  const start = time.now;
  for (let done = 0; done < jobs; done += CHUNK) {
    await time.clock.wait(start + (done / SCHEDULED_PER_SECOND) * 1_000 - time.now);
    const { failed } = await client.enqueueMany(noop, payloads(Math.min(CHUNK, jobs - done), done), { runAt: dueAt });
    if (failed.length > 0) throw new Error(`${failed.length} timers were refused while they were scheduled.`);
  }
}
