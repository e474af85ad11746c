import type { EventEmitter } from 'node:events';
import { systemClock } from '../shared/adapters/system.ts';
import type { Clock } from '../shared/ports/clock.ts';

/** A second signal within this time is the same keypress: npm repeats a signal that the terminal has already sent to all processes. */
const SAME_KEYPRESS_MS = 300;

/** Aborts at the first SIGINT, SIGTERM or SIGHUP, and calls `endNow` at the next one. */
export function stopOnSignals(source: EventEmitter, endNow: () => void, clock: Clock = systemClock): AbortSignal {
  const stopping = new AbortController();
  let first: number | undefined;
  const stop = (): void => {
    const now = clock.now();
    first ??= now;
    stopping.abort();
    if (now - first > SAME_KEYPRESS_MS) endNow();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) source.on(signal, stop);
  return stopping.signal;
}
