import type { Clock } from '../../shared/ports/clock.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { Inbox, ReceivedHint } from '../../shared/ports/hints.ts';

/** What a message stays hidden for after each renewal: its lease, and what a late renewal needs. */
const BEYOND_LEASE_MS = 30_000;
/** SQS hides a message for at most 12 hours after it was received; a little earlier it is let go. */
const LONGEST_HIDDEN_MS = 11.5 * 3_600_000;

/** Keeps a message from being received by others. */
export interface HiddenMessage {
  /** Hides it for another lease. After eleven hours and a half it is acknowledged instead: from then on the sweeper alone watches the lease. */
  extend(): Promise<void>;
}

/** Begins to keep a message hidden that was received just now. */
export function keepHidden(
  { clock, inbox, source }: { readonly clock: Clock; readonly inbox: Inbox; readonly source: HintSource },
  message: ReceivedHint,
  leaseMs: number,
): HiddenMessage {
  const until = clock.now() + LONGEST_HIDDEN_MS - leaseMs;
  let letGo = false;
  return {
    async extend() {
      if (letGo) return;
      letGo = clock.now() >= until;
      if (letGo) await source.acknowledge(message).catch(() => {});
      else await inbox.postpone(message, leaseMs + BEYOND_LEASE_MS);
    },
  };
}
