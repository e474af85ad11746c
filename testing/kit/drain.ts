import { acquireTimers } from '../../functions/acquirer/acquire-timers.ts';
import { sweepUnlessOff } from '../../functions/sweeper/sweep-unless-off.ts';
import { type Duration, durationMs } from '../../shared/job/duration.ts';
import { isParked } from '../../shared/store/rows.ts';
import { deliverAll, type RunBudget } from './deliver.ts';
import type { KitWorld } from './kit-world.ts';

const MINUTE_MS = 60_000;
/** An advance over years must not mean millions of ticks that find nothing. */
const MAX_IDLE_TICKS = 1_440;

/** Runs everything that is due now and becomes due by that: alternates ticks and deliveries until neither finds anything. */
export async function drainNow(world: KitWorld, budget: RunBudget): Promise<void> {
  do await tick(world);
  while ((await deliverAll(world, budget)) > 0);
}

/** When the sweeper of a world ran last: in a deployment it runs once a minute. */
const sweptAt = new WeakMap<KitWorld, number>();

/** Moves time on, from one instant at which something is due to the next, and runs what is due there. */
export async function advanceBy(world: KitWorld, duration: Duration, budget: RunBudget): Promise<void> {
  const { clock } = world;
  const ms = durationMs(duration, 'advance');
  const until = clock.now() + ms;
  const idleTickMs = Math.max(MINUTE_MS, Math.ceil(ms / MAX_IDLE_TICKS));
  // A drain that was started and not awaited reaches its handlers before the clock advances: they may wait on it.
  await new Promise((resolve) => setImmediate(resolve));
  await drainNow(world, budget);
  for (;;) {
    const next = nextDue(world, idleTickMs);
    if (next === undefined || next > until) break;
    await clock.advance(next - clock.now());
    await drainNow(world, budget);
  }
  if (clock.now() >= until) return;
  await clock.advance(until - clock.now());
  await drainNow(world, budget);
}

async function tick(world: KitWorld): Promise<void> {
  const { clock, tables, hints } = world;
  const deps = world.partsOf('default');
  const invocation = { requestId: world.nextRequestId(), deadlineAt: clock.now() + MINUTE_MS };
  // Tables in memory have no throughput limit: an acquirer with a pace would wait for a clock that stands still.
  const unpaced = { ...deps, newPace: () => ({ take: async () => {} }) };
  if (tables.rows('timers').length > 0) await acquireTimers(unpaced, { acquirer: 0, of: 1 }, invocation);
  if (!needsSweep(world)) return;
  sweptAt.set(world, clock.now());
  await sweepUnlessOff({ ...deps, backlog: hints }, invocation);
}

/** Between its ticks only what it could change at once calls for the sweeper: a scan of a large table is what a tick costs. */
function needsSweep(world: KitWorld): boolean {
  const { tables, clock, deployment } = world;
  if (clock.now() - (sweptAt.get(world) ?? Number.NEGATIVE_INFINITY) >= MINUTE_MS) return true;
  if (tables.rows('suspended').length > 0) return true;
  const expired = new Date(clock.now() - deployment.settings.sweepSkewMs).toISOString();
  return tables.rows('jobs').some((row) => String(row['lockExpiresAt'] ?? '') <= expired);
}

/** When the sweeper notices schedules of which the next occurrence is gone, as after a cancel: the only rows that point to a job that nothing else announces. */
function repairTimes({ tables, clock, deployment }: KitWorld, idleTickMs: number): readonly number[] {
  const planned = tables.rows('control').filter(({ nextId, pausedAt }) => nextId !== undefined && pausedAt === undefined);
  if (planned.length === 0) return [];
  const jobs = new Set([...tables.rows('timers'), ...tables.rows('jobs'), ...tables.rows('suspended')].map(({ id }) => id));
  const gone = planned.filter(({ nextId }) => !jobs.has(nextId));
  const { horizonMs } = deployment.settings;
  return gone.map(({ nextDue }) => Math.max(clock.now() + idleTickMs, Date.parse(String(nextDue)) - horizonMs));
}

/** The next instant at which a message, a timer, a lease or a tick of the sweeper could change something. */
function nextDue(world: KitWorld, idleTickMs: number): number | undefined {
  const { tables, hints, clock, deployment } = world;
  const now = clock.now();
  const timers = tables.rows('timers');
  const jobs = tables.rows('jobs');
  const due = [
    // Parked jobs are in the same table; they are released by a job that ends, or by a tick.
    ...timers.map((row) => (isParked(row['shard']) ? now + idleTickMs : Date.parse(String(row['due']).slice(0, 24)))),
    ...jobs.map((row) => Date.parse(String(row['lockExpiresAt'])) + deployment.settings.sweepSkewMs),
    ...(tables.rows('suspended').length > 0 ? [now + idleTickMs] : []),
    ...repairTimes(world, idleTickMs),
    hints.nextVisibleAt() ?? now,
  ];
  return due.reduce<number | undefined>((soonest, at) => (at > now && (soonest === undefined || at < soonest) ? at : soonest), undefined);
}
