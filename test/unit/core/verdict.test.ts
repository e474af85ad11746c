import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/core/errors.ts';
import { complete, fail, readVerdict, snooze } from '../../../shared/core/verdict.ts';

describe('what a handler returns', () => {
  test.each([undefined, null, complete()])('completes the job when it is %j', (returned) =>
    expect(readVerdict(returned)).toEqual({ verdict: 'complete' }),
  );

  test('snoozes the job for a duration', () => expect(readVerdict(snooze('PT1H'))).toEqual({ verdict: 'snooze', delayMs: 3_600_000 }));

  test('fails the job for good, or by its policy', () => {
    expect(readVerdict(fail('gone'))).toEqual({ verdict: 'fail', reason: 'gone', retry: false });
    expect(readVerdict(fail('busy', { retry: true }))).toEqual({ verdict: 'fail', reason: 'busy', retry: true });
    expect(readVerdict(fail('busy', { retryAfter: 'PT1M' }))).toEqual({
      verdict: 'fail',
      reason: 'busy',
      retry: true,
      retryAfterMs: 60_000,
    });
    expect(readVerdict(fail('gone', { retry: false, retryAfter: 5 }))).toMatchObject({ retry: false });
  });

  test.each([
    'done',
    5,
    true,
    [],
    {},
    { verdict: 'maybe' },
    { verdict: 'snooze' },
    { verdict: 'snooze', delayMs: Number.NaN },
    { verdict: 'snooze', delayMs: -1 },
    { verdict: 'snooze', delayMs: Number.MAX_VALUE },
    { verdict: 'fail' },
    { verdict: 'fail', reason: 5 },
    { verdict: 'fail', reason: 'x', retryAfterMs: 'soon' },
    { statusCode: 200 },
    Object.assign(() => 1, { verdict: 'complete' }),
  ])('is refused as %j', (returned) => expect(() => readVerdict(returned)).toThrow(InvalidInputError));

  test('is explained when it is refused', () =>
    expect(() => readVerdict('done')).toThrow(/Return nothing, complete\(\), snooze\(delay\), continueWith\(state\) or fail\(reason\)/));

  test.each(['1h', -1, Number.NaN])('cannot be a snooze of %j', (delay) => expect(() => snooze(delay)).toThrow(/^snooze: /));
});

test('a delay that is refused is named as it was given, a return as the handler', () => {
  expect(() => fail('busy', { retryAfter: '1h' })).toThrow(/^retryAfter: "1h"/);
  expect(() => readVerdict(5)).toThrow(/^handler: "number"/);
});
