import { describe, expect, test } from 'vitest';
import { InvalidVerdictError } from '../../../shared/core/errors.ts';
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

  test.each(['done', 5, true, [], {}, { verdict: 'maybe' }, { statusCode: 200 }, Object.assign(() => 1, { verdict: 'complete' })])(
    'is no verdict as %j',
    (returned) => expect(readVerdict(returned)).toBeUndefined(),
  );

  test.each([
    { verdict: 'snooze' },
    { verdict: 'snooze', delayMs: Number.NaN },
    { verdict: 'snooze', delayMs: -1 },
    { verdict: 'snooze', delayMs: Number.MAX_VALUE },
    { verdict: 'fail' },
    { verdict: 'fail', reason: 5 },
    { verdict: 'fail', reason: 'x', retryAfterMs: 'soon' },
    { verdict: 'continue', state: {} },
    { verdict: 'complete', options: { enqueue: 5 } },
  ])('is refused as %j, so that its handler does not run again', (returned) =>
    expect(() => readVerdict(returned)).toThrow(InvalidVerdictError),
  );

  test.each(['1h', -1, Number.NaN])('cannot be a snooze of %j', (delay) => expect(() => snooze(delay)).toThrow(/^snooze: /));
});

test('a delay that is refused is named as it was given, a field made by hand by its kind', () => {
  expect(() => fail('busy', { retryAfter: '1h' })).toThrow(/^retryAfter: "1h"/);
  expect(() => readVerdict({ verdict: 'fail', reason: 5 })).toThrow(/^reason: a number is not valid\. /);
});
