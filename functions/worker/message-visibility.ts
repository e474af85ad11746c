import type { Clock } from '../../shared/ports/clock.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { Inbox, ReceivedHint } from '../../shared/ports/hints.ts';

/** How long a message stays hidden after each renewal: its lease, and time for a late renewal. */
const BEYOND_LEASE_MS = 30_000;
/** SQS hides a message for at most 12 hours after it was received; renewals stop a little earlier. */
const LONGEST_HIDDEN_MS = 11.5 * 3_600_000;

/** Keeps a message hidden from other receivers. */
export interface HiddenMessage {
  /** Hides it for another lease. After eleven hours and a half it is acknowledged instead: from then on the sweeper alone watches the lease. */
  extend(): Promise<void>;
}

/** Starts to keep a message hidden that was just received. */
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
