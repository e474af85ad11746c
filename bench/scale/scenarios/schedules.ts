import { dueAtOf } from '../../../shared/job/job-id.ts';
import { defineSchedule } from '../../../shared/features/schedules/model/definition.ts';
import { putSchedule } from '../../../shared/features/schedules/store/schedules.ts';
import { DYNAMO } from '../model/aws-limits.ts';
import { ScaleWorld } from '../model/scale-world.ts';
import { quantile } from '../../frame/spread.ts';
import { figuresOf, type RunFigures } from '../figures.ts';
import { NOOP, noop } from './jobs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_OF_DAY = 24;
/** Of twenty schedules twelve run on the first of the month, seven on Mondays, one every day. */
const KINDS = [
  { of: 12, cron: () => '0 0 1 * *', isDue: isFirst },
  { of: 7, cron: () => '0 6 * * 1', isDue: isMonday },
  { of: 1, cron: (n: number) => `0 ${(n % 4) * 6} * * *`, isDue: (at: Date) => at.getUTCHours() === 0 },
] as const;
const EVERY_HOURS = 6;

/** Whether any of this many schedules is due at an instant on the hour. */
function isDue(at: number, schedules: number): boolean {
  const instant = new Date(at);
  if (isFirst(instant) || isMonday(instant)) return true;
  const daily = Math.round(schedules / 20);
  const first = schedules - daily;
  return Array.from({ length: Math.min(4, daily) }, (_, n) => ((first + n) % 4) * EVERY_HOURS).includes(instant.getUTCHours());
}

function isFirst(at: Date): boolean {
  return at.getUTCHours() === 0 && at.getUTCDate() === 1;
}

function isMonday(at: Date): boolean {
  return at.getUTCHours() === 6 && at.getUTCDay() === 1;
}

/**
 * Days of schedules, more than half of them due in the same second: whether each occurrence ran once, and how late.
 * The acquirer's ticks that can find nothing are not driven, but counted, at the price of one that found nothing.
 */
export async function runSchedules(schedules: number, days = 365): Promise<RunFigures> {
  const startedAt = performance.now();
  const lateness: number[] = [];
  const ran = new Set<string>();
  const world: ScaleWorld = new ScaleWorld({
    handlers: NOOP,
    tables: { writes: DYNAMO.quotaWrites, reads: DYNAMO.quotaReads },
    onEntry: ({ event, job }) => {
      if (event !== 'started' || job === undefined) return;
      lateness.push(world.time.now - dueAtOf(job.id));
      ran.add(job.id);
    },
  });
  const { time } = world;
  const start = time.now;
  const hours = days * HOURS_OF_DAY;
  const expected = await world.whileRunning(declare(world, schedules, hours));
  // An idle tick reads each shard and writes its heartbeat.
  const before = units(world);
  await world.whileRunning(world.acquire());
  const idle = { reads: units(world).reads - before.reads, writes: units(world).writes - before.writes };
  let driven = 1;
  for (let hour = EVERY_HOURS; hour <= hours; hour += EVERY_HOURS) {
    await time.runUntil(start + hour * HOUR_MS - 5 * MINUTE_MS + 1_000);
    for (let left = isDue(start + hour * HOUR_MS, schedules) ? 1 : 0; left > 0; driven++) {
      const { unfinished, failed } = await world.whileRunning(world.acquire());
      left = unfinished + failed;
      // The next tick continues where the last one stopped.
      if (left > 0) await time.runUntil(time.now + MINUTE_MS);
    }
    if (hour % HOURS_OF_DAY === 0) await world.whileRunning(world.sweep());
  }
  await time.runUntil(time.now + 30 * MINUTE_MS);
  lateness.sort((a, b) => a - b);
  const idleTicks = hours * 60 - driven;
  return figuresOf(world, {
    size: schedules,
    jobs: expected,
    drainMs: lateness.at(-1) ?? 0,
    startedAt,
    own: {
      expected,
      missed: expected - ran.size,
      startedTwice: lateness.length - ran.size,
      early: lateness.filter((late) => late < 0).length,
      lateP50Ms: quantile(lateness, 0.5),
      lateP99Ms: quantile(lateness, 0.99),
      idleTicks,
      idleReadUnits: idle.reads * idleTicks,
      idleWriteUnits: idle.writes * idleTicks,
    },
  });
}

function units({ tables }: ScaleWorld): { readonly reads: number; readonly writes: number } {
  const meters = (['control', 'timers'] as const).map((name) => tables.capacity(name));
  return {
    reads: meters.reduce((sum, { reads }) => sum + reads.total, 0),
    writes: meters.reduce((sum, { writes }) => sum + writes.total, 0),
  };
}

/** Puts the schedules and returns the number of occurrences in this many hours. */
async function declare({ tables, deployment, time }: ScaleWorld, schedules: number, hours: number): Promise<number> {
  const terms = () => ({ now: time.now, token: 'declare', lanesOf: (worker: string) => deployment.workers.get(worker) });
  const instants = Array.from({ length: hours }, (_, hour) => new Date(time.now + (hour + 1) * HOUR_MS));
  let [n, expected] = [0, 0];
  for (const { of, cron, isDue: isDueAt } of KINDS) {
    const runs = instants.filter(isDueAt).length;
    for (const end = n + Math.round((schedules * of) / 20); n < end; n++) {
      await putSchedule(tables, defineSchedule(`schedule-${n}`, { job: noop, payload: { n }, cron: cron(n) }), 'operator', terms());
      expected += runs;
    }
  }
  return expected;
}
