import { expect, test } from 'vitest';
import { recoveryBound } from '../../../cli/doctor/check-recovery.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';

const settings = resolveSettings();
const workers = new Map([['default', { lanes: { default: 'queue/default' } }]]);

test('the recovery bound grows with the table by whole runs of the sweeper', () => {
  const unit = 8_192;
  const passes = [0, 2_500 * unit, 2_500 * unit + 1].map((bytes) => recoveryBound({ settings, workers }, bytes).passMs);
  expect(passes).toEqual([62_000, 62_000, 122_000]);
});

test('the recovery bound has the lease of the worker with the longest timeout', () => {
  const slow = { lanes: { default: 'queue/slow' }, timeoutMs: settings.executorTimeoutMs + 600_000 };
  const quick = { lanes: { default: 'queue/quick' }, timeoutMs: 1_000 };
  const leaseOf = (others: object) => recoveryBound({ settings, workers: new Map([...workers, ...Object.entries(others)]) }, 0).leaseMs;
  const lease = leaseOf({});
  expect(lease).toBe(settings.executorTimeoutMs + settings.leaseMarginMs);
  expect(leaseOf({ slow, quick })).toBe(lease + 600_000);
  expect(leaseOf({ quick })).toBe(lease);
});
