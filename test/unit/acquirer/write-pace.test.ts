import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writePace } from '../../../functions/acquirer/write-pace.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** When each of the takes that were asked for at the same time is let through, in milliseconds since then. */
async function letThrough(asked: readonly number[], limit: number): Promise<readonly { at: number; units: number }[]> {
  const clock = new SettableClock();
  const begun = clock.now();
  const pace = writePace(clock, limit);
  const seen: { at: number; units: number }[] = [];
  const all = asked.map(async (units) => {
    await pace.take(units, NEVER);
    seen.push({ at: clock.now() - begun, units });
  });
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(asked.length * 3_000);
  await Promise.all(all);
  return seen;
}

describe('the pace of writes', () => {
  it('lets through at once what a second has room for, and the rest a second later', async () => {
    expect((await letThrough([400, 400, 100, 100, 400], 900)).map(({ at }) => at)).toEqual([0, 0, 0, 1_000, 1_000]);
  });

  it('never lets more through in any second than it was told, except a single take that is larger', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 30 }), async (asked) => {
        const seen = await letThrough(asked, 100);
        expect(seen.map(({ units }) => units)).toEqual(asked);
        for (const { at: from } of seen) {
          const second = seen.filter(({ at }) => at >= from && at < from + 1_000);
          if (second.length > 1) expect(second.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(100);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('lets a take that is larger than a second has room for through alone, for as many seconds as it is worth', async () => {
    expect((await letThrough([300, 10, 10], 100)).map(({ at }) => at)).toEqual([0, 3_000, 3_000]);
    expect((await letThrough([10, 300, 10], 100)).map(({ at }) => at)).toEqual([0, 1_000, 4_000]);
  });

  it('has room again as time passes', async () => {
    const clock = new SettableClock();
    const pace = writePace(clock, 900);
    await pace.take(900, NEVER);
    await clock.advance(1_000);
    await pace.take(900, NEVER);
    expect(clock.pending).toEqual([]);
  });

  it('holds from the present second on, also when nothing was taken for a long time', async () => {
    const clock = new SettableClock();
    const pace = writePace(clock, 900);
    await pace.take(900, NEVER);
    await clock.advance(60_000);
    await pace.take(900, NEVER);
    void pace.take(900, NEVER);
    expect(clock.pending).toEqual([clock.now() + 1_000]);
    await clock.advance(1_000);
  });

  it('keeps no process beyond the time at which it must stop', async () => {
    const clock = new SettableClock();
    const stopAt = clock.now() + 300;
    const pace = writePace(clock, 100);
    await pace.take(100, stopAt);
    const second = pace.take(100, stopAt);
    expect(clock.pending).toEqual([stopAt]);
    await clock.advance(300);
    await second;
    await pace.take(100, stopAt);
  });
});
