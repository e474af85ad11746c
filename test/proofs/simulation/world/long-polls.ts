import type { Clock } from '../../../../shared/ports/clock.ts';
import type { HintSource } from '../../../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../../../shared/ports/hints.ts';

/** Single requests to the queues of a world. */
export interface QueueRequests {
  /** What can be received now; nothing once the signal fires. */
  receive(queue: QueueRef, max: number, signal: AbortSignal | undefined): Promise<readonly ReceivedHint[]>;
  acknowledge(message: ReceivedHint): Promise<void>;
}

const LOOK_AGAIN_MS = 1_000;

/** Where a process without an event source gets its messages: long polls, which look again every `lookAgainMs` milliseconds. */
export function longPolls(clock: Clock, requests: QueueRequests, lookAgainMs: number = LOOK_AGAIN_MS): HintSource {
  return {
    async receive(queue, { max, waitMs, signal }) {
      const until = clock.now() + waitMs;
      for (;;) {
        const messages = await requests.receive(queue, max, signal);
        const leftMs = until - clock.now();
        if (signal?.aborted === true || messages.length > 0 || leftMs <= 0) return messages;
        await clock.wait(Math.min(lookAgainMs, leftMs), signal);
      }
    },
    acknowledge: (message) => requests.acknowledge(message),
  };
}
