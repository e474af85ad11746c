import type { JobClient } from '../../../shared/client/job-client.ts';
import { DYNAMO } from '../model/aws-limits.ts';
import { ScaleWorld } from '../model/scale-world.ts';
import { quantile } from '../../frame/spread.ts';
import { figuresOf, type RunFigures } from '../figures.ts';
import { grouped, NOOP, noop, payloads } from './jobs.ts';

const CHUNK = 500;
/** The rate of one producer in the model, with a margin. */
const PER_PRODUCER_AND_SECOND = 2_500;

/** Write units of a job at the Jobs table: its put, claim, completion. */
const JOBS_UNITS = 3;

/** How jobs arrive: their number, the period, and whether tables are warmed or new. */
export interface Arrival {
  readonly jobs: number;
  readonly overMs: number;
  readonly warmTables: boolean;
  readonly warmSources: boolean;
  readonly maxConcurrency: number;
  /** In exclusive groups, over the FIFO queue. */
  readonly inGroups?: boolean;
}

/** Empty jobs, enqueued evenly over a period by as many producers as needed, and run by executors. */
export async function runArrival(arrival: Arrival, size = arrival.jobs): Promise<RunFigures> {
  const startedAt = performance.now();
  const waits: number[] = [];
  let historyLost = 0;
  const world = new ScaleWorld({
    handlers: NOOP,
    settings: { maxConcurrency: arrival.maxConcurrency },
    warmSources: arrival.warmSources,
    ...(arrival.warmTables ? { tables: { writes: DYNAMO.quotaWrites, reads: DYNAMO.quotaReads } } : {}),
    onEntry: ({ event, queueDelayMs, count = 1 }) => {
      if (event === 'started') waits.push(queueDelayMs ?? 0);
      if (event === 'history-lost') historyLost += count;
    },
  });
  const start = world.time.now;
  const { enqueuedAt, refused } = await world.whileRunning(produce(world, arrival));
  await world.runUntil(() => world.counts.completed >= arrival.jobs, 24 * 60 * 60_000);
  // Work after the last completion: history, statistics, deletes.
  await world.time.runUntil(world.time.now + 60_000);
  return figuresOf(world, {
    size,
    jobs: arrival.jobs,
    drainMs: world.lastEndedAt - enqueuedAt,
    startedAt,
    own: {
      ...bound(arrival),
      enqueueSeconds: (enqueuedAt - start) / 1000,
      refusedAtFirst: refused,
      waitP50Ms: quantile(waits, 0.5),
      waitP99Ms: quantile(waits, 0.99),
      historyLost,
    },
  });
}

/** The minimum time after the last arrival that the Jobs table needs for this many jobs, if positive. */
function bound({ jobs, overMs, warmTables }: Arrival): { readonly boundSeconds?: number } {
  const seconds = (jobs * JOBS_UNITS) / (warmTables ? DYNAMO.quotaWrites : DYNAMO.freshWrites) - overMs / 1000;
  return seconds > 0 ? { boundSeconds: seconds } : {};
}

/** Everything accepted, by when, and how many the store refused at first: a producer offers those again, as its own caller would. */
async function produce(
  world: ScaleWorld,
  { jobs, overMs, inGroups = false }: Arrival,
): Promise<{ readonly enqueuedAt: number; readonly refused: number }> {
  const producers = Math.max(1, Math.ceil(jobs / (overMs / 1000) / PER_PRODUCER_AND_SECOND));
  const chunks = Math.ceil(jobs / CHUNK);
  const start = world.time.now;
  let refused = 0;
  const one = async (producer: number): Promise<void> => {
    for (let chunk = producer; chunk < chunks; chunk += producers) {
      await world.time.clock.wait(start + (chunk / chunks) * overMs - world.time.now);
      const some = payloads(Math.min(CHUNK, jobs - chunk * CHUNK), chunk * CHUNK);
      const refusedOfSome = await enqueueAll(world.client, some, inGroups);
      refused += refusedOfSome;
    }
  };
  await Promise.all(Array.from({ length: producers }, (_, producer) => one(producer)));
  return { enqueuedAt: world.time.now, refused };
}

async function enqueueAll(client: JobClient, some: readonly { readonly n: number }[], inGroups: boolean): Promise<number> {
  let [left, refused] = [some, 0];
  while (left.length > 0) {
    const { failed } = await client.enqueueMany(inGroups ? grouped : noop, left);
    left = failed.map(({ index }) => left[index] as { readonly n: number });
    refused += left.length;
  }
  return refused;
}
