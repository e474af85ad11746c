import type { Clock } from '../../shared/ports/clock.ts';

/** Write units per second that an acquirer uses of one shard. DynamoDB allows 1,000 per partition key: the rest is for late writes, and for clients that schedule and cancel concurrently. */
const UNITS_PER_SECOND = 800;
const SECOND_MS = 1_000;

/** Keeps the writes of one shard below the limit of its partition key: a throttled write is retried and delays the others. */
export interface WritePace {
  /** Resolves when this many write units may be spent: at once if the current second has room, at `stopAt` at the latest. First come, first served. */
  take(units: number, stopAt: number): Promise<void>;
}

/** A pace with its full allowance. */
export function writePace(clock: Clock, unitsPerSecond: number = UNITS_PER_SECOND): WritePace {
  let taken: readonly { readonly at: number; readonly until: number; readonly units: number }[] = [];
  return {
    async take(units, stopAt) {
      const now = clock.now();
      let at = Math.max(now, taken.at(-1)?.at ?? now);
      for (;;) {
        taken = taken.filter(({ until }) => until > at);
        const [first] = taken;
        if (first === undefined || taken.reduce((sum, one) => sum + one.units, units) <= unitsPerSecond) break;
        at = first.until;
      }
      // A write larger than one second's units goes alone and uses as many seconds as it costs.
      taken = [...taken, { at, until: at + SECOND_MS * Math.max(1, units / unitsPerSecond), units }];
      const until = Math.min(at, stopAt);
      if (until > now) await clock.wait(until - now);
    },
  };
}
