import { iso } from '../../../shared/job/instant.ts';
import { makeJobId } from '../../../shared/job/job-id.ts';
import { hintFor } from '../../../shared/job/hint.ts';
import { rowBytes } from '../../../shared/adapters/memory/row-size.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { decodeLeasedJob } from '../../../shared/store/job-codec.ts';
import { DYNAMO } from '../model/aws-limits.ts';
import { quickEntropy } from '../model/quick-entropy.ts';
import { ScaleWorld } from '../model/scale-world.ts';
import { figuresOf, round, type RunFigures } from '../figures.ts';
import { NOOP, noop } from './jobs.ts';

const MINUTE_MS = 60_000;
const WAITING_MS = 20 * MINUTE_MS;
/** One of this many hints was lost. */
const LOST = 100;

/**
 * Ready jobs that have waited for twenty minutes, most with a message still in the queue: what the sweeper reads and
 * writes until it has seen them all, and how long it takes. `readUnits`: the budget of one of its runs.
 */
export async function runBacklog(jobs: number, readUnits: number): Promise<RunFigures> {
  const startedAt = performance.now();
  const world = new ScaleWorld({
    handlers: NOOP,
    settings: { sweepReadUnits: readUnits },
    tables: { writes: DYNAMO.quotaWrites, reads: DYNAMO.quotaReads },
    consumes: false,
  });
  fill(world, await oneJob(), jobs);
  const { writes, reads } = world.tables.capacity('jobs');
  const before = { writes: writes.total, reads: reads.total };
  const start = world.time.now;
  const seen = { explained: 0, reset: 0, runs: 0 };
  for (let passed = false; !passed;) {
    await world.time.runUntil(start + seen.runs * MINUTE_MS);
    const report = await world.whileRunning(world.sweep());
    seen.runs++;
    seen.explained += report.counts.explained ?? 0;
    seen.reset += report.counts.reset ?? 0;
    passed = report.seen !== undefined;
  }
  return figuresOf(world, {
    size: jobs,
    jobs,
    // A run begins once a minute: one that ends early has seen no more for it.
    drainMs: seen.runs * MINUTE_MS,
    startedAt,
    own: {
      readUnitsARun: readUnits,
      runs: seen.runs,
      readUnits: reads.total - before.reads,
      explained: seen.explained,
      lostHints: lostOf(jobs),
      sentAgain: seen.reset,
      resetsWithoutNeed: Math.max(0, seen.reset - lostOf(jobs)),
      writeUnits: writes.total - before.writes,
      rowsASecond: round(jobs / ((world.time.now - start) / 1000)),
    },
  });
}

/** A row as the product writes it, from a world of its own. */
async function oneJob(): Promise<Row> {
  const world = new ScaleWorld({ handlers: NOOP, consumes: false });
  const { id } = await world.whileRunning(world.client.enqueue(noop, { n: 1 }));
  const row = await world.whileRunning(world.tables.get('jobs', { id }));
  if (row === undefined) throw new Error('A job that was enqueued has a row.');
  return row;
}

function fill({ tables, hints, time }: ScaleWorld, model: Row, jobs: number): void {
  const entropy = quickEntropy(17);
  const dueAt = time.now - WAITING_MS;
  const lockExpiresAt = iso(dueAt + 6 * MINUTE_MS);
  const waited = { ...model, dueAt: iso(dueAt), createdAt: iso(dueAt), lockExpiresAt };
  const rowOf = (): Row => ({ ...waited, id: makeJobId(dueAt, entropy.bytes(10)) });
  // Their ids are all that differs, and as long as each other.
  const bytes = rowBytes(rowOf());
  for (let n = 0; n < jobs; n++) tables.place('jobs', rowOf(), bytes);
  hints.placeUnread(hintFor(decodeLeasedJob(rowOf()), time.now), jobs - lostOf(jobs));
}

const lostOf = (jobs: number): number => Math.ceil(jobs / LOST);
