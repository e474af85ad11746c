import { describe, expect, test } from 'vitest';
import { decide, type Decision } from '../../../shared/job/decide.ts';
import { DEFAULT_RETRY, parseRetryPolicy, type RetryPolicy } from '../../../shared/job/retry-policy.ts';
import { RetryAfterError } from '../../../shared/job/errors.ts';
import { snooze } from '../../../shared/job/verdict.ts';
import { sampleJob } from './sample-job.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

interface Course {
  readonly retry?: RetryPolicy;
  readonly triesLimit?: number;
  readonly error?: unknown;
}

/** The delays that a job meets which fails again and again, in minutes, until it is dead. */
function course({ retry = DEFAULT_RETRY, triesLimit, error = new Error('no') }: Course): readonly number[] {
  const delays: number[] = [];
  for (let failures = 0; failures < 50; failures++) {
    const job = sampleJob({ failures, starts: failures + 1, ...(triesLimit === undefined ? {} : { triesLimit }) });
    const decision = decide(job, { kind: 'threw', error }, { retry }, { now: NOW, random: 0.5 });
    if (decision.verb === 'bury') return delays;
    if (decision.verb === 'retry') delays.push((decision.dueAt - NOW) / MINUTE);
  }
  throw new Error('It never died.');
}

describe('Camunda 7, "Retry Time Cycle Configuration"', () => {
  test('by default a failed job is tried three times in total', () => expect(course({})).toHaveLength(2));

  test('R5/PT5M: five executions, five minutes apart', () => {
    expect(course({ retry: parseRetryPolicy('R5/PT5M') })).toEqual([5, 5, 5, 5]);
  });

  test('an interval shorter than five minutes is kept', () => {
    expect(course({ retry: parseRetryPolicy('R3/PT6S') })).toEqual([0.1, 0.1]);
  });

  test('PT10M,PT17M,PT20M: after the first, second and third failure 10, 17 and 20 minutes, and no retry after the fourth', () => {
    expect(course({ retry: parseRetryPolicy('PT10M,PT17M,PT20M') })).toEqual([10, 17, 20]);
  });

  test('fewer retries than the list has intervals end it early', () => {
    expect(course({ retry: parseRetryPolicy('PT10M,PT17M,PT20M'), triesLimit: 2 })).toEqual([10]);
  });

  test('a local configuration takes precedence over the global one', () => {
    const job = sampleJob({ failures: 0 });
    const policies = { chosen: parseRetryPolicy('R2/PT1M'), retry: parseRetryPolicy('R2/PT9M') };
    const decision = decide(job, { kind: 'threw', error: new Error('no') }, policies, { now: NOW, random: 0 });
    expect(decision).toMatchObject({ verb: 'retry', dueAt: NOW + MINUTE });
  });

  test('an optimistic-lock conflict takes no retry away', () => {
    const conflict = Object.assign(new Error('raced'), { name: 'TransactionConflictException' });
    const decision = decide(
      sampleJob({ failures: 2 }),
      { kind: 'threw', error: conflict },
      { retry: parseRetryPolicy('R3/PT5M') },
      { now: NOW, random: 0.5 },
    );
    expect(decision).toMatchObject({ verb: 'retry', counted: false });
  });

  test('an error that says when to retry replaces the interval and not the number of tries', () => {
    expect(course({ retry: parseRetryPolicy('R3/PT5M'), error: new RetryAfterError('busy', 2 * MINUTE) })).toEqual([2, 2]);
  });
});

describe('beside Camunda 7', () => {
  test('the last interval repeats while there are more tries than intervals; there it is the first', () => {
    expect(course({ retry: parseRetryPolicy('PT10M,PT17M,PT20M'), triesLimit: 7 })).toEqual([10, 17, 20, 20, 20, 20]);
  });
});

describe('a verdict of onError', () => {
  const policies = { retry: parseRetryPolicy('R5/PT5M') };
  const about = (verdict: Parameters<typeof decide>[1]): Decision => decide(sampleJob({}), verdict, policies, { now: NOW, random: 0 });

  test('keeps what was thrown as the error of the dead letter', () => {
    const error = new TypeError('not a function');
    const decision = about({ kind: 'verdict', verdict: { verdict: 'fail', reason: 'a bug', retry: false }, error });
    expect(decision).toMatchObject({ verb: 'bury', reason: 'failed', error: { name: 'TypeError', message: 'not a function' } });
    expect(decision.verb === 'bury' && decision.error.stack).toContain('TypeError');
  });

  test('snoozes without a failure', () => {
    expect(about({ kind: 'verdict', verdict: snooze('PT1H') })).toEqual({ verb: 'snooze', dueAt: NOW + 60 * MINUTE });
  });
});
