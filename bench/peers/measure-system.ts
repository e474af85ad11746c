import { systemClock } from '../../shared/adapters/system.ts';
import { quantile } from '../frame/spread.ts';
import { within } from '../frame/within.ts';
import { allProcessTimes, cpuSecondsOf } from './cpu-time.ts';
import type { PeerSystem } from './system.ts';
import { monotonicMs } from './workers/messages.ts';
import type { WorkerProcess } from './workers/worker-process.ts';

/** The measurements of each system. */
export type PeerFigure = 'rate' | 'enqueueRate' | 'workerCpu' | 'storeCpu' | 'pickupMedian' | 'pickupP99';

/** The work of one round. */
export interface PeerWork {
  readonly jobs: number;
  /** Single jobs whose latency to an idle worker is measured. */
  readonly singles: number;
}

/** Below this, CPU time is not reported: the clock is too coarse. */
const CPU_TICK_S = 0.01;
const LOOK_EVERY_MS = 2;
/** Longer than any of them takes to be idle again after a job. */
const PAUSE_MS = 10;
const GIVE_UP_MS = 60_000;

/** One round of one system: fills its queue while its worker rests, drains it, and then sends it job after job. */
export async function measureSystem(
  system: PeerSystem,
  worker: WorkerProcess,
  { jobs, singles }: PeerWork,
): Promise<Record<PeerFigure, number>> {
  const filledFrom = monotonicMs();
  await system.enqueueMany(jobs);
  const enqueueRate = perSecond(jobs, monotonicMs() - filledFrom);
  const [workerBefore, storeBefore] = cpuNow(system, worker);
  const seen = worker.expect(jobs);
  await worker.work();
  const { firstAt } = await within(seen, { ms: GIVE_UP_MS, what: `${system.name} to start ${jobs} jobs` });
  const emptyAt = await whenEmpty(system);
  const [workerAfter, storeAfter] = cpuNow(system, worker);
  const pickups: number[] = [];
  for (let single = 0; single < singles; single += 1) pickups.push(await pickup(system, worker, PAUSE_MS));
  await worker.rest();
  return {
    rate: perSecond(jobs, emptyAt - firstAt),
    enqueueRate,
    workerCpu: (Math.max(CPU_TICK_S, workerAfter - workerBefore) / jobs) * 1_000,
    storeCpu: (Math.max(CPU_TICK_S, storeAfter - storeBefore) / jobs) * 1_000,
    pickupMedian: quantile(pickups, 0.5),
    pickupP99: quantile(pickups, 0.99),
  };
}

/** Milliseconds from the call that enqueues a job to its handler's start, the worker being idle for `pauseMs`. */
export async function pickup(system: PeerSystem, worker: WorkerProcess, pauseMs: number): Promise<number> {
  await systemClock.wait(pauseMs);
  const seen = worker.expect(1);
  const from = monotonicMs();
  await system.enqueueOne();
  const { lastAt } = await within(seen, { ms: GIVE_UP_MS, what: `${system.name} to start a job` });
  await whenEmpty(system);
  return lastAt - from;
}

/** The instant at which no job was left: the last one recorded, not only started. */
async function whenEmpty(system: PeerSystem): Promise<number> {
  const until = monotonicMs() + GIVE_UP_MS;
  while (!(await system.isEmpty())) {
    if (monotonicMs() > until) throw new Error(`${system.name} has started all its jobs, and has not recorded them.`);
    await systemClock.wait(LOOK_EVERY_MS);
  }
  return monotonicMs();
}

function cpuNow(system: PeerSystem, worker: WorkerProcess): readonly [worker: number, store: number] {
  const all = allProcessTimes();
  return [cpuSecondsOf([worker.pid], all), cpuSecondsOf(system.storePids, all)];
}

const perSecond = (jobs: number, ms: number): number => (jobs / ms) * 1_000;
