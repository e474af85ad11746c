import { systemClock } from '../shared/adapters/system.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { FunctionRuntime } from './function-runtime.ts';

/** A function and its interval. */
export interface TickOptions {
  readonly runtime: FunctionRuntime;
  readonly everyMs: number;
  readonly functionTimeoutMs: number;
  /** The input that EventBridge Scheduler would send. */
  readonly event?: unknown;
  /** Whether a tick may start while the one before still runs, as it may in AWS. Default false. */
  readonly mayOverlap?: boolean;
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A schedule that runs. */
export interface Ticks {
  /** No more ticks; waits up to `graceMs` for the one that runs. */
  stop(graceMs: number): Promise<void>;
}

/** Invokes a function every `everyMs`, the first time at once. A failed tick is reported and followed by the next one. */
export function startTicks(options: TickOptions, clock: Clock = systemClock): Ticks {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const tick = async (): Promise<void> => {
    try {
      await options.runtime.invoke(options.event ?? {}, { timeoutMs: options.functionTimeoutMs });
    } catch (error) {
      options.onProblem?.(`tick ${options.runtime.name}`, error);
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const ending: Promise<void> = tick().finally(() => running.delete(ending));
      running.add(ending);
      const pause = clock.wait(options.everyMs, stopping.signal);
      await (options.mayOverlap === true ? pause : Promise.all([pause, ending]));
    }
  };
  const looping = loop();
  return {
    async stop(graceMs) {
      stopping.abort();
      const enough = new AbortController();
      await Promise.race([looping.then(() => Promise.all(running)), clock.wait(graceMs, enough.signal)]);
      enough.abort();
    },
  };
}
