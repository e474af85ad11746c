import type { Clock } from '../../shared/ports/clock.ts';

/** Write units that an acquirer takes of one shard in any second. DynamoDB gives a partition key 1,000: the rest is for writes that come late, and for who schedules and cancels meanwhile. */
const UNITS_PER_SECOND = 800;
const SECOND_MS = 1_000;

/** Keeps the writes of one shard below what its partition key takes: what is throttled is sent again and delays its neighbours. */
export interface WritePace {
  /** Resolves when so many write units may be spent, at once as long as the second has room, and not later than `stopAt`. In the order of the calls. */
  take(units: number, stopAt: number): Promise<void>;
}

/** A pace that nothing was taken of yet. */
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
      // What is larger than a second's units goes alone, and for as many seconds as it is worth.
      taken = [...taken, { at, until: at + SECOND_MS * Math.max(1, units / unitsPerSecond), units }];
      const until = Math.min(at, stopAt);
      if (until > now) await clock.wait(until - now);
    },
  };
}
