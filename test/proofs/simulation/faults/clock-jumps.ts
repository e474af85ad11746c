import { BROKEN_WITHOUT_KILL, type Rule } from '../check/violations.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Trace } from '../world/trace.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import type { FaultPlan } from './fault-plan.ts';

const SECOND = 1_000;
const MOST_BETWEEN_MS = 120 * SECOND;
const MOST_JUMPS = 10;
const MOST_WRONG_MS = 3_600 * SECOND;
const MOST_WRONG_FOR_MS = 300 * SECOND;
const GOES_WRONG = 0.15;

/**
 * What breaks while a clock is further from true time than the promises assume: leases are outlived, as by a sandbox that nobody kills, and
 * what has its time comes at another. A job is completed once all the same, and none is lost.
 */
export const BROKEN_BY_WRONG_CLOCKS: readonly Rule[] = [
  ...BROKEN_WITHOUT_KILL,
  'limit-rate',
  'group-reopens',
  'never-early',
  'retention-kept',
  'backlog-true',
  'suspension-kept',
  'time-to-run',
  'group-in-order',
  'excluded-taken-back',
];

/** The parts of a world that a clock fault needs. */
interface ClockWorld {
  readonly plan: FaultPlan;
  readonly time: VirtualTime;
  readonly trace: Trace;
}

/** Sets the clock of a process anew from time to time, back or forth, never further from true time than the promises assume. */
export function jumpNowAndThen(world: ClockWorld, process: SimProcess, apartMs: number, left = MOST_JUMPS): void {
  const { plan, time } = world;
  const { wide } = plan;
  time.after(Math.floor(wide.entropy.random() ** 2 * MOST_BETWEEN_MS), () => {
    if (!process.alive || !wide.has('clock-jump')) return;
    plan.count('clock-jump');
    jump(world, process, Math.floor((wide.entropy.random() - 0.5) * apartMs));
    if (left > 1) jumpNowAndThen(world, process, apartMs, left - 1);
  });
}

/** Lets the clock of some processes be wrong by up to an hour for a few minutes, and right again after that. */
export function goWrong(world: ClockWorld, process: SimProcess): void {
  const { plan, time } = world;
  const { wide } = plan;
  if (!wide.strikes('clock-wrong', GOES_WRONG)) return;
  const rightMs = process.skewMs;
  const wrongMs = Math.floor((wide.entropy.random() - 0.5) * 2 * MOST_WRONG_MS);
  time.after(Math.floor(wide.entropy.random() * MOST_BETWEEN_MS), () => {
    setWrong(world, process, wrongMs);
    time.after(Math.floor(wide.entropy.random() * MOST_WRONG_FOR_MS), () => setWrong(world, process, rightMs));
  });
}

/** For a moment after it, what the process goes by may be from before. */
function setWrong(world: ClockWorld, process: SimProcess, skewMs: number): void {
  process.troubles++;
  jump(world, process, skewMs);
}

function jump({ time, trace }: ClockWorld, process: SimProcess, skewMs: number): void {
  process.skewMs = skewMs;
  trace.note(time.now, process.name, `its clock is ${skewMs} ms ahead`);
}
