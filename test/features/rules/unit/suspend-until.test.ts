import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { Rig } from '../../../support/rig.ts';

const HOUR = 3_600_000;
const scope = { type: 'work' };

describe('the end of a suspension', () => {
  it.each([
    ['now', undefined, 2 * HOUR],
    ['now, where its begin has passed', -HOUR, 2 * HOUR],
    ['its begin', HOUR, 3 * HOUR],
  ])('that is said as how long it lasts is counted from %s', async (_what, fromMs, untilMs) => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    const now = rig.clock.now();
    await admin.suspend(scope, { reason: 'r', until: { for: 'PT2H' }, ...(fromMs === undefined ? {} : { from: now + fromMs }) });
    expect((await admin.suspensions())[0]?.until?.getTime()).toBe(now + untilMs);
  });

  it.each([
    ['has passed', -2 * HOUR, -HOUR],
    ['comes before its begin', 2 * HOUR, HOUR],
    ['is its begin', HOUR, HOUR],
  ])('is refused that %s', async (_what, fromMs, untilMs) => {
    const rig = new Rig();
    const now = rig.clock.now();
    const suspended = createAdminOver(rig.deps).suspend(scope, { reason: 'r', from: now + fromMs, until: now + untilMs });
    await expect(suspended).rejects.toThrow(InvalidInputError);
  });
});
