import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import {
  DEFAULT_RETRY,
  exponential,
  formatRetryPolicy,
  parseRetryPolicy,
  type RetryInput,
  type RetryPolicy,
  retryDelayMs,
} from '../../../shared/job/retry-policy.ts';

const delays = (policy: RetryPolicy, random = 0): (number | undefined)[] =>
  Array.from({ length: policy.tries }, (_, index) => retryDelayMs(policy, index + 1, random));

const MINUTE = 60_000;
const durations = fc.integer({ min: 0, max: 86_400_000 });
const policies: fc.Arbitrary<RetryPolicy> = fc.oneof(
  fc.record({
    kind: fc.constant('intervals' as const),
    tries: fc.integer({ min: 1, max: 1_000_000 }),
    intervalsMs: fc.array(durations, { minLength: 1, maxLength: 100 }),
  }),
  fc.record({
    kind: fc.constant('exponential' as const),
    tries: fc.integer({ min: 1, max: 1_000_000 }),
    baseMs: durations,
    factor: fc.integer({ min: 1, max: 100 }),
    maxMs: durations,
  }),
);

describe('a retry policy', () => {
  test('R5/PT5M means five executions, five minutes apart', () => {
    expect(delays(parseRetryPolicy('R5/PT5M'))).toEqual([5 * MINUTE, 5 * MINUTE, 5 * MINUTE, 5 * MINUTE, undefined]);
  });

  test('a list of three intervals means four executions', () => {
    expect(delays(parseRetryPolicy('PT10M,PT17M,PT20M'))).toEqual([10 * MINUTE, 17 * MINUTE, 20 * MINUTE, undefined]);
  });

  test('a list of one interval means two executions', () => expect(delays(parseRetryPolicy('PT10M'))).toEqual([10 * MINUTE, undefined]));

  test('the last interval of a list repeats when there are more tries than intervals', () => {
    const raised = parseRetryPolicy('R6/PT10M,PT17M,PT20M');
    expect(delays(raised)).toEqual([10, 17, 20, 20, 20].map((minutes) => minutes * MINUTE).concat(undefined as unknown as number));
  });

  test('never means one execution', () => expect(delays(parseRetryPolicy('never'))).toEqual([undefined]));

  test('spaces between the parts do not matter', () => {
    expect(parseRetryPolicy('PT10M, PT17M')).toEqual(parseRetryPolicy('PT10M,PT17M'));
  });

  test('is three tries, exponential from 10 s, by default', () => {
    expect(exponential()).toEqual(DEFAULT_RETRY);
    expect(parseRetryPolicy('exponential()')).toEqual(DEFAULT_RETRY);
    expect(delays(DEFAULT_RETRY, 0.999_999)).toEqual([9_999, 19_999, undefined]);
  });

  test('exponential draws each delay evenly between nothing and its bound', () => {
    const policy = exponential({ tries: 50, base: 'PT10S', factor: 3, max: 'PT1H' });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 49 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, random) => {
        const bound = Math.min(3_600_000, 10_000 * 3 ** (failures - 1));
        const delay = retryDelayMs(policy, failures, random) ?? -1;
        expect(delay).toBe(Math.floor(random * bound));
        expect(delay).toBeLessThanOrEqual(bound);
      }),
    );
  });

  test('gives a whole, finite delay for every try and none after the last, however many tries', () => {
    fc.assert(
      fc.property(
        policies,
        fc.nat({ max: 1_000_001 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (policy, drawn, random) => {
          const failures = drawn + 1;
          const delay = retryDelayMs(policy, failures, random);
          if (failures >= policy.tries) expect(delay).toBeUndefined();
          else expect(delay).toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0);
        },
      ),
    );
  });

  test('exponential grows up to its bound, however small its factor', () => {
    const policy = exponential({ tries: 2_000, base: 'PT10S', factor: 1.01, max: 'PT1H' });
    expect(retryDelayMs(policy, 201, 0.5)).toBe(Math.floor(0.5 * 10_000 * 1.01 ** 200));
    expect(retryDelayMs(policy, 1_000, 0.5)).toBe(1_800_000);
  });

  test('with a base of nothing never makes a NaN of it', () => {
    expect(retryDelayMs(exponential({ tries: 1_000, base: 0, factor: 100 }), 900, 0.5)).toBe(0);
  });

  test('survives being written and read', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        expect(parseRetryPolicy(formatRetryPolicy(policy))).toEqual(policy);
      }),
    );
  });

  test('is written as users write it', () => {
    expect(
      ['R5/PT5M', 'PT10M,PT17M,PT20M', 'never', 'R6/PT1M,PT2M', 'exponential(tries=4,base=PT1S)'].map((text) =>
        formatRetryPolicy(parseRetryPolicy(text)),
      ),
    ).toEqual(['R5/PT5M', 'PT10M,PT17M,PT20M', 'R1/PT0S', 'R6/PT1M,PT2M', 'exponential(tries=4,base=PT1S,factor=2,max=PT1H)']);
  });

  test.each([
    '',
    'R5',
    'R5/',
    'R0/PT5M',
    'R/PT5M',
    'R-1/PT5M',
    'R5/5M',
    'R9999999/PT5M',
    'R2.5/PT1M',
    'PT10M,',
    ',PT10M',
    'PT10M;PT17M',
    'PT10M,,PT17M',
    'P1Y',
    '5',
    'always',
    'exponential',
    'exponential(',
    'exponential(tries)',
    'exponential(tries=0)',
    'exponential(tries=x)',
    'exponential(tries=1.5)',
    'exponential(factor=0.5)',
    'exponential(factor=101)',
    'exponential(base=10)',
    'exponential(speed=2)',
    'exponential(__proto__=1)',
    'x'.repeat(5_000),
    Array.from({ length: 101 }, () => 'PT1M').join(','),
  ])('is refused as %j', (text) => expect(() => parseRetryPolicy(text)).toThrow(InvalidInputError));

  test.each([
    undefined,
    null,
    5,
    [],
    {},
    { kind: 'sometimes' },
    { kind: 'intervals', tries: 3, intervalsMs: [] },
    { kind: 'intervals', tries: 3, intervalsMs: [Number.NaN] },
    { kind: 'intervals', tries: 3, intervalsMs: 'PT5M' },
    { kind: 'intervals', tries: Number.NaN, intervalsMs: [1] },
    { kind: 'exponential', tries: 3, baseMs: -1, factor: 2, maxMs: 1 },
    { kind: 'exponential', tries: 3, baseMs: 1, factor: Number.NaN, maxMs: 1 },
    { kind: 'exponential', tries: 3, baseMs: 1, factor: 2 },
    { kind: 'exponential', tries: 3, baseMs: 1, factor: 2n, maxMs: 1 },
    { kind: 'exponential', tries: 3, baseMs: 1, factor: '2', maxMs: 1 },
  ])('is refused as an object that is none (%#)', (value) =>
    expect(() => parseRetryPolicy(value as RetryInput)).toThrow(InvalidInputError),
  );

  test('names its field when it is refused', () =>
    expect(() => parseRetryPolicy('often', 'retryOn.Throttled')).toThrow(/^retryOn\.Throttled: "often"/));
});

describe('a policy object', () => {
  test.each([
    [{ kind: 'intervals', tries: 5, intervalsMs: [1_000, 2_000] }],
    [{ kind: 'intervals', tries: 1_000_000, intervalsMs: Array.from({ length: 100 }, () => 1) }],
    [{ kind: 'exponential', tries: 3, baseMs: 1, factor: 1, maxMs: 5 }],
  ] as const)('is taken as it is: %j', (policy) => expect(parseRetryPolicy(policy)).toEqual(policy));

  test.each([
    [{ kind: 'other', tries: 3, intervalsMs: [1] }, /^retry: an object .*Use R5\/PT5M/],
    [{ tries: 3, baseMs: 1, factor: 2, maxMs: 5 }, /^retry: an object .*Use R5\/PT5M/],
    [null, /^retry: null .*Use R5\/PT5M/],
    [7, /^retry: 7 .*Use R5\/PT5M/],
    [{ kind: 'intervals', tries: 0, intervalsMs: [1] }, /^retry\.tries: 0 /],
    [{ kind: 'intervals', tries: 1_000_001, intervalsMs: [1] }, /^retry\.tries: 1000001 /],
    [{ kind: 'intervals', tries: 1, intervalsMs: [] }, /^retry: 0 intervals /],
    [{ kind: 'intervals', tries: 1, intervalsMs: Array.from({ length: 101 }, () => 1) }, /^retry: 101 intervals /],
    [{ kind: 'exponential', tries: 3, baseMs: 1, factor: 0, maxMs: 5 }, /^retry\.factor: 0 /],
    [{ kind: 'exponential', tries: 3, baseMs: -1, factor: 2, maxMs: 5 }, /^retry\.base: -1 /],
    [{ kind: 'exponential', tries: 3, baseMs: 1, factor: 2, maxMs: -5 }, /^retry\.max: -5 /],
  ])('is refused by the name of what is wrong: %j', (policy, message) => expect(() => parseRetryPolicy(policy as never)).toThrow(message));

  test('that exponential() would make is refused by the same names', () => {
    expect(() => exponential({ base: 'x' })).toThrow(/^retry\.base: "x"/);
    expect(() => exponential({ max: 'x' })).toThrow(/^retry\.max: "x"/);
    expect(() => exponential({ tries: 0 })).toThrow(/^retry\.tries: 0/);
    expect(() => exponential({ factor: 0 })).toThrow(/^retry\.factor: 0/);
  });
});

describe('the text of a policy', () => {
  test('never is one try', () => expect(parseRetryPolicy('never')).toEqual({ kind: 'intervals', tries: 1, intervalsMs: [0] }));

  test('is a list only where the list says the number of tries without being taken for something else', () => {
    expect(formatRetryPolicy({ kind: 'intervals', tries: 2, intervalsMs: [60_000] })).toBe('R2/PT1M');
    expect(formatRetryPolicy({ kind: 'intervals', tries: 3, intervalsMs: [60_000, 60_000] })).toBe('PT1M,PT1M');
  });

  test('may have 4,096 characters besides spaces and no more', () => {
    const full = Array.from({ length: 100 }, (_, n) => `PT000000001.000000000H000000001.${'0'.repeat(n < 97 ? 7 : 6)}M`).join(',');
    expect([full.length, parseRetryPolicy(`${full}${' '.repeat(900)}`).tries]).toEqual([4_096, 101]);
    expect(() => parseRetryPolicy(full.replace('1.0000000M', '1.00000000M'))).toThrow(/^retry: .*Use R5\/PT5M/);
  });

  test.each(['R3/PT1S\nPT1S', 'exponential()x'])('is refused as %j', (text) =>
    expect(() => parseRetryPolicy(text)).toThrow(InvalidInputError),
  );
  test.each(['soon', 'xexponential()', 'xR3/PT1S', '5M', ''])('that begins like none of them is refused with all of them: %j', (text) =>
    expect(() => parseRetryPolicy(text)).toThrow(/^retry: .*Use R5\/PT5M/),
  );
});
