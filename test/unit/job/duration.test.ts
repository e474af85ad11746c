import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Duration, durationMs, isoDuration, MAX_DURATION_MS } from '../../../shared/job/duration.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';

describe('a duration', () => {
  test.each([
    ['PT15M', 900_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
    ['PT0S', 0],
    ['PT0.5S', 500],
    ['PT1H30M', 5_400_000],
    ['P1D', 86_400_000],
    ['PT1.5H', 5_400_000],
    ['PT0.0004S', 0],
    ['P12W', 7_257_600_000],
    ['P1W2D', 777_600_000],
    ['P0.25W', 151_200_000],
    ['P1.25D', 108_000_000],
    ['PT0.25H', 900_000],
    ['PT12.25M', 735_000],
    ['PT12.25S', 12_250],
    [`PT${'0'.repeat(8)}5M${'0'.repeat(12)}S`, 300_000],
    // 64 characters, the longest text that is read.
    ['P012345.000000000DT000000001.000000000H000000001.000000000M0001S', 12_345 * 86_400_000 + 3_661_000],
  ])('%s is %d ms', (text, ms) => expect(durationMs(text, 'delay')).toBe(ms));

  test.each([1, 0, 12.4, MAX_DURATION_MS])('of %d is a number of milliseconds, rounded to whole ones', (ms) => {
    expect(durationMs(ms, 'delay')).toBe(Math.round(ms));
  });

  test.each([
    '',
    'P',
    'PT',
    'P1DT',
    'PT5',
    '5M',
    'PT5m',
    'pt5M',
    'PT-5M',
    '-PT5M',
    'P1Y',
    'P1M',
    'P2D1W',
    'PT5M ',
    ' PT5M',
    'PT5M3H',
    'PT1,5S',
    'PT.5S',
    'PT1S\n',
    'PT5M/PT5M',
    `PT${'9'.repeat(100)}S`,
    // 65 characters, although each of its numbers could be read.
    'P012345.000000000DT000000001.000000000H000000001.000000000M00001S',
    'P999999W',
    'P40000D',
    'ＰＴ5Ｍ',
  ])('is refused as %j', (text) => expect(() => durationMs(text, 'delay')).toThrow(InvalidInputError));

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, MAX_DURATION_MS + 1, 1e300])('is refused as the number %d', (ms) => {
    expect(() => durationMs(ms, 'delay')).toThrow(InvalidInputError);
    const fix = ms > MAX_DURATION_MS && Number.isFinite(ms) ? /^delay: .* at most 100 years/ : /^delay: .* Use milliseconds, 0 or more/;
    expect(() => durationMs(ms, 'delay')).toThrow(fix);
  });

  const OTHER_KINDS: unknown[] = [undefined, null, {}, [], new Date(0), true, Symbol('x'), { toString: 1 }];
  test.each(OTHER_KINDS)('is refused as another kind of value (%#)', (value) => {
    expect(() => durationMs(value as Duration, 'delay')).toThrow(InvalidInputError);
  });

  test('names the field, the value and the fix when it is refused', () => {
    expect(() => durationMs('5 minutes', 'retry.base')).toThrow(/^retry\.base: "5 minutes" is not valid\. Use an ISO-8601 duration/);
  });

  test('of any whole milliseconds survives being written and read', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => durationMs(isoDuration(ms), 'x') === ms));
  });

  test('is written in its shortest form', () => {
    expect([0, 1, 60_000, 90_061_001, 172_800_000].map(isoDuration)).toEqual(['PT0S', 'PT0.001S', 'PT1M', 'P1DT1H1M1.001S', 'P2D']);
  });

  test('is read or refused, whatever the text, and never anything else', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^P[\dWDTHMS.]{0,20}$/));
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const ms = durationMs(text, 'x');
          return Number.isInteger(ms) && ms >= 0 && ms <= MAX_DURATION_MS;
        } catch (error) {
          return error instanceof InvalidInputError;
        }
      }),
    );
  });
});
