import { expect, test } from 'vitest';
import { recoveryBound } from '../../../cli/doctor/check-recovery.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';

test('the recovery bound grows with the table by whole runs of the sweeper', () => {
  const unit = 8_192;
  const passes = [0, 2_500 * unit, 2_500 * unit + 1].map((bytes) => recoveryBound(resolveSettings(), bytes).passMs);
  expect(passes).toEqual([62_000, 62_000, 122_000]);
});
