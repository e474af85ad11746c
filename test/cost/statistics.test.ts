import { expect, it } from 'vitest';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../support/rig.ts';
import { summingRig } from '../support/summing-rig.ts';
import { unitMeter } from '../support/write-units.ts';

const plain = defineJob('plain', { payload: anyPayload });
const SECOND = 1_000;

/** Write units of a minute in which a sandbox runs so many jobs each second, with statistics and without. */
async function minuteOf(jobsPerSecond: number, statistics: 0 | 1 | 2 | 3): Promise<number> {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  const { rig, drain } = summingRig({
    clock,
    tables: meter.tables,
    history: 'off',
    settings: { statistics },
    handlers: [plain.handle(() => undefined)],
  });
  // Off the full minute: one write in ten seconds, and what is left of a minute that has ended with it.
  await clock.advance(65 * SECOND - (clock.now() % (60 * SECOND)));
  for (let second = 0; second < 120; second++) {
    if (second === 60) meter.reset();
    await rig.client.enqueueMany(
      plain,
      Array.from({ length: jobsPerSecond }, () => ({})),
      { tenant: 'acme' },
    );
    await drain();
    await clock.advance(SECOND);
  }
  return meter.writes();
}

it('statistics cost what docs/operate/costs.md says: seven write units a minute for a sandbox, however busy it is', async () => {
  for (const jobsPerSecond of [1, 20]) {
    const without = await minuteOf(jobsPerSecond, 0);
    expect(without).toBe(3 * 60 * jobsPerSecond);
    expect((await minuteOf(jobsPerSecond, 1)) - without).toBe(7);
  }
});

it('statistics by type and tenant cost what docs/operate/admin.md says: 13 write units a minute for a lone sandbox with few names', async () => {
  const without = await minuteOf(20, 0);
  for (const statistics of [2, 3] as const) expect((await minuteOf(20, statistics)) - without).toBe(13);
});
