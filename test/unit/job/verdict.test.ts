import { describe, expect, test } from 'vitest';
import { InvalidVerdictError } from '../../../shared/job/errors.ts';
import { LIMITS } from '../../../shared/job/size-limits.ts';
import { complete, continueWith, encodeResult, fail, readVerdict, snooze } from '../../../shared/job/verdict.ts';

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
    { verdict: 'fail', reason: 'x', retryAfterMs: null },
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

describe('a completion', () => {
  const times = (count: number): never[] => Array.from({ length: count }, () => ({}) as never);

  test('takes what it settles with it, and nothing where it settles nothing', () => {
    const options = { enqueue: [], cancel: [], transact: [], result: 1, keepResult: 'PT1H' };
    expect(readVerdict(complete(options))).toStrictEqual({ verdict: 'complete', options });
    expect(complete()).toStrictEqual({ verdict: 'complete' });
  });

  test.each([
    [{ enqueue: times(90) }],
    [{ transact: times(90) }],
    [{ enqueue: times(45), transact: times(45) }],
    [{ enqueue: times(1) }],
    [{ enqueue: times(30), cancel: times(30), transact: times(30) }],
  ])('takes ninety jobs and items beside the job (%#)', (options) => expect(() => complete(options)).not.toThrow());

  test.each([
    [{ enqueue: times(91) }],
    [{ transact: times(91) }],
    [{ enqueue: times(45), transact: times(46) }],
    [{ enqueue: times(30), cancel: times(31), transact: times(30) }],
  ])('is refused with more than one transaction holds (%#)', (options) => {
    expect(() => complete(options)).toThrow(InvalidVerdictError);
    expect(() => complete(options)).toThrow(/^enqueue: 91 jobs and items is not valid.*batch/);
  });

  test.each([
    [{ enqueue: 5 }, /^enqueue: a number .*array/],
    [{ transact: {} }, /^transact: an object .*array/],
    [{ results: 5 }, /^complete: .*results/],
  ])('is refused as %j, which names the field', (options, message) => expect(() => complete(options as never)).toThrow(message));
});

describe('a result', () => {
  const json = (bytes: number): string => 'x'.repeat(bytes - 2);

  test('is none where none was given', () => expect(encodeResult({ keepResult: 'PT1H' })).toBeUndefined());
  test('is kept for a day unless another time was named', () => {
    expect(encodeResult({ result: { a: 1 } })).toEqual({ json: '{"a":1}', keepMs: 86_400_000 });
    expect(encodeResult({ result: null, keepResult: 'PT1H' })).toEqual({ json: 'null', keepMs: 3_600_000 });
  });
  test('has as many bytes as the limit says, and no more', () => {
    expect(encodeResult({ result: json(LIMITS.resultBytes) })?.json).toHaveLength(LIMITS.resultBytes);
    expect(() => encodeResult({ result: json(LIMITS.resultBytes + 1) })).toThrow(/^result: 32769 bytes .*S3/);
  });
  test('that is no JSON, or kept for no duration, names the field', () => {
    expect(() => encodeResult({ result: () => 1 })).toThrow(/^result/);
    expect(() => encodeResult({ result: 1, keepResult: 'soon' })).toThrow(/^keepResult: "soon"/);
  });
});

describe('a state to go on from', () => {
  const ofBytes = (bytes: number): string => 'x'.repeat(bytes - 2);

  test('is any JSON, made with continueWith or by hand', () => {
    expect(readVerdict(continueWith({ page: 3 }))).toEqual({ verdict: 'continue', state: '{"page":3}' });
    expect(readVerdict({ verdict: 'continue', state: '7' })).toEqual({ verdict: 'continue', state: '7' });
  });
  test('has as many bytes as the limit says, and no more, however it was made', () => {
    const most = continueWith(ofBytes(LIMITS.stateBytes));
    expect(readVerdict(most)).toEqual(most);
    const refused = /^state: 65537 bytes .*S3/;
    expect(() => continueWith(ofBytes(LIMITS.stateBytes + 1))).toThrow(refused);
    expect(() => readVerdict({ verdict: 'continue', state: 'x'.repeat(LIMITS.stateBytes + 1) })).toThrow(refused);
  });
  test('that is no JSON is refused, so that its handler does not run again', () => {
    expect(() => continueWith(() => 1)).toThrow(InvalidVerdictError);
    expect(() => continueWith(() => 1)).toThrow(/^state/);
    expect(() => readVerdict({ verdict: 'continue', state: {} })).toThrow(/^state: an object/);
  });
});
