import type { Clock } from '../../ports/clock.ts';
import type { HintSource } from '../../ports/hint-source.ts';
import type { MemoryHints } from './hints.ts';

/** How often a waiting receive checks again. */
const LOOK_EVERY_MS = 250;

/** The in-memory queues for workers without an event source. A receive waits on the given clock. */
export function createMemoryHintSource(hints: MemoryHints, clock: Clock): HintSource {
  return {
    async receive(queue, { max, waitMs, signal }) {
      const until = clock.now() + waitMs;
      for (;;) {
        if (signal?.aborted) return [];
        const messages = hints.receive(queue, max);
        const leftMs = until - clock.now();
        if (messages.length > 0 || leftMs <= 0) return messages;
        await clock.wait(Math.min(LOOK_EVERY_MS, leftMs), signal);
      }
    },
    acknowledge: async (message) => hints.acknowledge(message),
  };
}
