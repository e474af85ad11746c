import fc from 'fast-check';
import { SETTING_DOCS } from '../../../shared/config/settings-docs.ts';
import { describe, expect, test } from 'vitest';
import { resolveSettings, SETTINGS, type SettingName } from '../../../shared/config/settings.ts';
import { InvalidConfigurationError } from '../../../shared/job/errors.ts';
import { FIRST_REDISPATCH_MS, REDISPATCH_MS } from '../../../shared/job/lease.ts';

const NAMES = Object.keys(SETTINGS) as SettingName[];

describe('a setting', () => {
  test('has a default that is taken', () => {
    expect(resolveSettings()).toEqual(Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].default])));
  });

  test('may be left undefined', () => expect(resolveSettings({ batchSize: undefined }).batchSize).toBe(10));

  test.each(NAMES)('%s has a default inside its range, and a sentence that says what it is for', (name) => {
    const { min, max, default: value } = SETTINGS[name];
    expect(min).toBeLessThanOrEqual(value);
    expect(value).toBeLessThanOrEqual(max);
    expect(SETTING_DOCS[name]).toMatch(/^[A-Z].*\.$/);
  });

  test.each(NAMES)('%s is refused outside its range, and the message names it, the value and the range', (name) => {
    const { min, max } = SETTINGS[name];
    expect(() => resolveSettings({ [name]: max + 1 })).toThrow(
      `${name}: ${max + 1} is outside its range. Use a whole number from ${min} to ${max}`,
    );
    expect(() => resolveSettings({ [name]: min - 1 })).toThrow(InvalidConfigurationError);
  });

  test('maxConcurrency is 0 for no limit, or the minimum that an event source allows', () => {
    expect(resolveSettings({ maxConcurrency: 0 }).maxConcurrency).toBe(0);
    expect(resolveSettings({ maxConcurrency: 2 }).maxConcurrency).toBe(2);
    expect(() => resolveSettings({ maxConcurrency: 1 })).toThrow(
      /^maxConcurrency: 1 is less than an event source allows\. Use 2 or more, or 0/,
    );
  });

  test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null, {}, true])('is refused as %j', (value) => {
    expect(() => resolveSettings({ batchSize: value as number })).toThrow(/^batchSize: /);
  });

  test('that is misspelt is not known, and the nearest is named', () => {
    expect(() => resolveSettings({ batchsize: 1 })).toThrow('batchsize is not a setting. Did you mean batchSize?');
  });

  test.each(['', '__proto__', 'constructor', 'toString'])('that is named %j is not known', (name) => {
    expect(() => resolveSettings(Object.fromEntries([[name, 1]]))).toThrow(/is not a setting\. Known are: delayHorizonMs/);
  });

  test('agrees by default with what the leases promise', () => {
    expect(SETTINGS.redispatchAfterMs.default).toBe(REDISPATCH_MS);
    expect(SETTINGS.firstRedispatchAfterMs.default).toBe(FIRST_REDISPATCH_MS);
  });
});

describe('settings that break a promise together', () => {
  test('are refused: a large batch without a window, which Lambda does not take', () => {
    expect(() => resolveSettings({ batchSize: 11 })).toThrow(/^batchWindow: 0 ms must be 1000 ms or more when batchSize is above 10/);
    expect(() => resolveSettings({ batchSize: 11, batchWindowMs: 1_000 })).not.toThrow();
  });

  test('are refused: reserves that leave less than half of the time to run jobs', () => {
    expect(() => resolveSettings({ executorTimeoutMs: 10_000, recordReserveMs: 4_000 })).toThrow(/^recordReserve: 5000 ms/);
  });

  test('are refused: a minimum run that no invocation can give, so that every job would be given back forever', () => {
    expect(() => resolveSettings({ executorTimeoutMs: 60_000, minimumRunMs: 56_000 })).toThrow(/^minimumRun: 56000 ms.*given back forever/);
    expect(() => resolveSettings({ executorTimeoutMs: 60_000, minimumRunMs: 55_999 })).not.toThrow();
  });

  test('are told from all others: any values inside their ranges are taken or refused by name', () => {
    const values = fc.record(
      Object.fromEntries(NAMES.map((name) => [name, fc.integer({ min: SETTINGS[name].min, max: SETTINGS[name].max })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(values, (overrides) => {
        try {
          expect(resolveSettings(overrides)).toMatchObject(overrides);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidConfigurationError);
          expect((error as Error).message).toMatch(/^(maxConcurrency|batchWindow|recordReserve|minimumRun): /);
        }
      }),
    );
  });
});
