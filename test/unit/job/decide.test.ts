import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decision, decide, type DecisionPolicy, isOptimisticConflict, type Outcome } from '../../../shared/job/decide.ts';
import { ChainLimitError, JobTimedOutError, NonRetryableError, RetryAfterError } from '../../../shared/job/errors.ts';
import type { Job } from '../../../shared/job/job.ts';
import { DEFAULT_RETRY, parseRetryPolicy } from '../../../shared/job/retry-policy.ts';
import { complete, continueWith, fail, snooze } from '../../../shared/job/verdict.ts';
import type { Verdict } from '../../../shared/job/job-type.ts';
import { NOON, sampleJob } from './sample-job.ts';

const MINUTE = 60_000;
const EVERY_MINUTE: DecisionPolicy = { retry: parseRetryPolicy('R3/PT1M') };
const said = (verdict: Verdict): Outcome => ({ kind: 'verdict', verdict });
const threw = (error: unknown): Outcome => ({ kind: 'threw', error });
const at = (random = 0.5): { now: number; random: number } => ({ now: NOON, random });
const decideOn = (outcome: Outcome, job: Partial<Job> = {}, policy: DecisionPolicy = EVERY_MINUTE): Decision =>
  decide(sampleJob(job), outcome, policy, at());

function awsError(name: string, codes?: readonly string[]): Error {
  const error = Object.assign(new Error(name), codes === undefined ? {} : { CancellationReasons: codes.map((code) => ({ Code: code })) });
  error.name = name;
  return error;
}

describe('what becomes of a job', () => {
  test.each([
    [
      'a cancelled transaction whose reasons are no list',
      Object.assign(awsError('TransactionCanceledException'), { CancellationReasons: 'none' }),
    ],
    [
      'a cancelled transaction with an empty reason',
      Object.assign(awsError('TransactionCanceledException'), { CancellationReasons: [null] }),
    ],
    ['an error whose name throws', Object.defineProperty(new Error('x'), 'name', { get: () => expect.fail('looked at') })],
    ['a proxy that throws', new Proxy({}, { getPrototypeOf: () => expect.fail('looked at') })],
  ])('it is tried again after %s: an attempt is always decided', (_, error) =>
    expect(decideOn({ kind: 'threw', error })).toMatchObject({ verb: 'retry', counted: true }),
  );

  test('it is complete when its handler says so', () => expect(decideOn(said(complete()))).toEqual({ verb: 'complete' }));

  test('it is complete even when it failed often before', () =>
    expect(decideOn(said(complete()), { failures: 99 })).toEqual({ verb: 'complete' }));

  test('it is given back when there was no time to start it', () => expect(decideOn({ kind: 'no-time' })).toEqual({ verb: 'give-back' }));

  test('it is snoozed for as long as its handler asks', () => {
    expect(decideOn(said(snooze('PT1H')))).toEqual({ verb: 'snooze', dueAt: NOON + 60 * MINUTE });
  });

  test('it goes on from the state that its handler returned', () =>
    expect(decideOn(said(continueWith({ page: 2 })))).toEqual({ verb: 'continue', state: '{"page":2}' }));

  test('it is tried again by its policy when its handler throws', () => {
    expect(decideOn(threw(new TypeError('x')))).toMatchObject({
      verb: 'retry',
      counted: true,
      dueAt: NOON + MINUTE,
      error: { name: 'TypeError', message: 'x', at: NOON },
    });
  });

  test('a time limit that passed counts as a failure', () =>
    expect(decideOn(threw(new JobTimedOutError(5)))).toMatchObject({ verb: 'retry', counted: true }));

  test('it is buried when its tries are used up', () => {
    expect(decideOn(threw(new Error('x')), { failures: 1 }).verb).toBe('retry');
    expect(decideOn(threw(new Error('x')), { failures: 2 })).toMatchObject({
      verb: 'bury',
      reason: 'retries-exhausted',
      error: { message: 'x' },
    });
  });

  test('it is buried at once when its handler fails it', () => {
    expect(decideOn(said(fail('no such invoice')))).toMatchObject({
      verb: 'bury',
      reason: 'failed',
      error: { name: 'JobFailed', message: 'no such invoice' },
    });
  });

  test('a failure that asks for a retry follows the policy', () => {
    expect(decideOn(said(fail('busy', { retry: true })))).toMatchObject({ verb: 'retry', counted: true, dueAt: NOON + MINUTE });
    expect(decideOn(said(fail('busy', { retry: true })), { failures: 2 })).toMatchObject({ verb: 'bury', reason: 'retries-exhausted' });
  });

  test('a delay that the handler asks for replaces the delay of the policy, never its number of tries', () => {
    expect(decideOn(said(fail('busy', { retryAfter: 'PT9M' })))).toMatchObject({ verb: 'retry', counted: true, dueAt: NOON + 9 * MINUTE });
    expect(decideOn(threw(new Error('outer', { cause: new RetryAfterError('busy', 9 * MINUTE) })))).toMatchObject({
      verb: 'retry',
      dueAt: NOON + 9 * MINUTE,
    });
    expect(decideOn(threw(new RetryAfterError('busy', 0)), { failures: 2 })).toMatchObject({ verb: 'bury' });
  });

  test('a delay beyond all bounds is cut, so that it still is an instant', () => {
    const decision = decideOn(threw(new RetryAfterError('busy', Number.MAX_VALUE)));
    expect(decision).toMatchObject({ verb: 'retry' });
    expect('dueAt' in decision && new Date(decision.dueAt).toISOString()).toMatch(/^21\d\d-/);
  });

  test('it is buried at once by an error that is not retryable, anywhere in the chain of causes', () => {
    const error = new Error('outer', { cause: new Error('middle', { cause: new NonRetryableError('gone') }) });
    expect(decideOn(threw(error))).toMatchObject({ verb: 'bury', reason: 'non-retryable', error: { message: 'outer' } });
  });

  test('it is buried at once when it would lengthen a chain past its limit', () => {
    expect(decideOn(threw(new ChainLimitError(10_001, 10_000)))).toMatchObject({ verb: 'bury', reason: 'chain-limit' });
  });

  test('an error may have a policy of its own by name, anywhere in the chain of causes', () => {
    const policy: DecisionPolicy = { retry: parseRetryPolicy('never'), retryOn: new Map([['Throttled', parseRetryPolicy('R9/PT7M')]]) };
    const throttled = awsError('Throttled');
    expect(decideOn(threw(throttled), {}, policy)).toMatchObject({ verb: 'retry', dueAt: NOON + 7 * MINUTE });
    expect(decideOn(threw(new Error('outer', { cause: throttled })), {}, policy)).toMatchObject({
      verb: 'retry',
      dueAt: NOON + 7 * MINUTE,
    });
    expect(decideOn(threw(new Error('other')), {}, policy)).toMatchObject({ verb: 'bury' });
  });

  test('it is not due again before an old attempt is surely dead', () => {
    const policy: DecisionPolicy = { ...EVERY_MINUTE, notBefore: NOON + 5 * MINUTE };
    expect(decideOn(threw(new Error('x')), {}, policy)).toMatchObject({ dueAt: NOON + 5 * MINUTE });
    expect(decideOn(said(snooze(1)), {}, policy)).toMatchObject({ dueAt: NOON + 5 * MINUTE });
    expect(decideOn(said(snooze('PT1H')), {}, policy)).toMatchObject({ dueAt: NOON + 60 * MINUTE });
  });
});

describe('a conflict', () => {
  test('for which a RetryAfterError says when to try again is a failure that waits so long', () => {
    const cause = awsError('ConditionalCheckFailedException');
    const decision = decideOn(threw(new RetryAfterError('locked', 5 * MINUTE, { cause })));
    expect(decision).toMatchObject({ verb: 'retry', counted: true, dueAt: NOON + 5 * MINUTE });
  });

  test.each([
    ['ConditionalCheckFailedException'],
    ['TransactionConflictException'],
    ['TransactionInProgressException'],
    ['ItemsRefusedError'],
    ['TransactionCanceledException', ['None', 'TransactionConflict', 'ConditionalCheckFailed']],
  ])('of the kind %s is tried again soon without counting', (name, codes?: readonly string[]) => {
    const decision = decideOn(threw(new Error('outer', { cause: awsError(name, codes) })), { failures: 2 });
    expect(decision).toMatchObject({ verb: 'retry', counted: false });
    expect('dueAt' in decision && decision.dueAt - NOON).toBe(1_000);
  });

  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [8, 128_000],
    [9, 150_000],
    [500, 150_000],
  ])('after %i starts is tried again about %i ms later, at most five minutes: without a limit it must not spin', (starts, ms) => {
    const decision = decideOn(threw(awsError('ConditionalCheckFailedException')), { starts });
    expect('dueAt' in decision && decision.dueAt - NOON).toBe(ms);
  });

  test.each([
    ['another error that carries reasons', awsError('OtherException', ['ConditionalCheckFailed'])],
    ['a cancelled transaction whose list of reasons is empty', awsError('TransactionCanceledException', [])],
    ['a text', 'ConditionalCheckFailedException'],
  ])('is not what %s says', (_, error) => expect(isOptimisticConflict(error)).toBe(false));

  test('is what a cancelled transaction says in which some reasons name nothing', () => {
    const error = Object.assign(awsError('TransactionCanceledException'), {
      CancellationReasons: [{}, null, { Code: 'TransactionConflict' }],
    });
    expect(isOptimisticConflict(error)).toBe(true);
  });

  test.each([
    ['ValidationException', undefined],
    ['TransactionCanceledException', ['None', 'ValidationError']],
    ['TransactionCanceledException', ['ConditionalCheckFailed', 'ThrottlingError']],
    ['TransactionCanceledException', ['None']],
    ['TransactionCanceledException', undefined],
  ])('is not what %s with reasons %j is', (name, codes) => expect(isOptimisticConflict(awsError(name, codes))).toBe(false));

  test('may be recognised by the user', () => {
    const policy: DecisionPolicy = { ...EVERY_MINUTE, isConflict: (error) => error === 'etag' };
    expect(decideOn(threw('etag'), { failures: 2 }, policy)).toMatchObject({ verb: 'retry', counted: false });
  });

  test.each(['', 5, null, undefined, {}, { name: 'ConditionalCheckFailedException' }])('is not what %j is', (thrown) =>
    expect(isOptimisticConflict(thrown)).toBe(false),
  );
});

describe('the retry policy', () => {
  const uncounted = fc.constantFrom<Outcome>(said(snooze(1_000)), threw(awsError('ConditionalCheckFailedException')), { kind: 'no-time' });
  const counted = fc.constantFrom<Outcome>(
    threw(new Error('x')),
    said(fail('x', { retry: true })),
    threw(new RetryAfterError('x', 5)),
    threw(undefined),
  );
  const policies = fc.oneof(
    fc.integer({ min: 1, max: 12 }).map((tries) => parseRetryPolicy(`R${tries}/PT1M`)),
    fc.constant(DEFAULT_RETRY),
  );

  test('ends after exactly its tries, however many conflicts and snoozes lie between', () => {
    fc.assert(
      fc.property(policies, fc.array(fc.oneof(uncounted, counted), { maxLength: 60 }), (retry, outcomes) => {
        let job = sampleJob();
        let executionsThatFailed = 0;
        for (const outcome of outcomes) {
          const decision = decide(job, outcome, { retry }, at());
          if (decision.verb === 'retry' && decision.counted) job = { ...job, failures: job.failures + 1 };
          if (decision.verb === 'bury' || (decision.verb === 'retry' && decision.counted)) executionsThatFailed += 1;
          if (decision.verb === 'bury') {
            expect(executionsThatFailed).toBe(retry.tries);
            return;
          }
          expect(executionsThatFailed).toBeLessThan(retry.tries);
        }
      }),
    );
  });

  test('never counts a conflict, a snooze or a lack of time', () => {
    fc.assert(
      fc.property(uncounted, fc.nat({ max: 1_000_000 }), (outcome, failures) => {
        const decision = decide(sampleJob({ failures }), outcome, EVERY_MINUTE, at());
        expect(decision.verb).not.toBe('bury');
        expect('counted' in decision && decision.counted).toBe(false);
      }),
    );
  });

  test('is followed by decisions that name a whole instant, not before now, whatever was thrown', () => {
    fc.assert(
      fc.property(fc.anything(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (thrown, random) => {
        const decision = decide(sampleJob(), threw(thrown), { retry: DEFAULT_RETRY }, { now: NOON, random });
        expect(['retry', 'bury']).toContain(decision.verb);
        if (decision.verb === 'retry') expect(decision.dueAt).toSatisfy((due: number) => Number.isInteger(due) && due >= NOON);
      }),
    );
  });

  test('decides the same for the same job, outcome, time and chance', () => {
    const once = decideOn(threw('x'));
    expect(decideOn(threw('x'))).toEqual(once);
  });
});
