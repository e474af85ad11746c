import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';

const REPLY_MS = 50;

/**
 * What handlers call out with where timers come before what arrived: now and then the process stands still meanwhile, for longer than
 * some handlers may run, and the reply is in the buffer when their limit runs out.
 */
export function callOut(world: World, process: SimProcess): (() => Promise<void>) | undefined {
  const { wide } = world.plan;
  if (!wide.on.includes('timers-first')) return undefined;
  return () =>
    new Promise((resolve) => {
      if (wide.strikes('timers-first', 0.1)) pauseBriefly(world, process);
      process.deliver(REPLY_MS, resolve);
    });
}

/** Long enough for a timer to run out, and short enough for Lambda to let the process go on. */
export function pauseBriefly(world: World, process: SimProcess): void {
  process.freeze('pause');
  world.time.after(3_500 + Math.floor(world.plan.wide.entropy.random() * 16_000), () => process.thaw('pause'));
}
