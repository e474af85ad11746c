import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobError } from '../../../shared/job/job.ts';
import { lastErrors, withError } from '../../../shared/job/last-errors.ts';
import { utf8Bytes } from '../../../shared/job/size-limits.ts';

const T0 = Date.UTC(2026, 0, 31, 12);
const failure = (n: number): JobError => ({ name: 'TypeError', message: `no ${n}`, at: T0 + n * 60_000 });

interface Failing {
  readonly starts: number;
  readonly error?: JobError;
  readonly lastErrors?: string;
}

/** A job after each of these errors, one attempt each. */
function after(errors: readonly JobError[], first: Failing = { starts: 0 }): Failing {
  return errors.reduce<Failing>((job, error) => {
    const starts = job.starts + 1;
    return { starts, error, lastErrors: withError({ ...job, starts }, error) };
  }, first);
}

describe('the last errors of a job', () => {
  it('are none before its first, and one line without text after it, because the row has that error as a whole', () => {
    expect(lastErrors({})).toEqual([]);
    const job = after([failure(1)]);
    expect(job.lastErrors).toBe('2026-01-31T12:01:00.000Z 1');
    expect(lastErrors(job)).toEqual([{ at: new Date(T0 + 60_000), attempt: 1, text: 'TypeError: no 1' }]);
  });

  it('are the last five, the newest first, each with its time, attempt and text', () => {
    const job = after([1, 2, 3, 4, 5, 6, 7].map(failure));
    expect(lastErrors(job).map(({ attempt, text }) => `${attempt} ${text}`)).toEqual([
      '7 TypeError: no 7',
      '6 TypeError: no 6',
      '5 TypeError: no 5',
      '4 TypeError: no 4',
      '3 TypeError: no 3',
    ]);
  });

  it('begin with the error that an earlier release left, whose attempt is not known', () => {
    const old = { starts: 2, error: failure(2) };
    expect(lastErrors(old)).toEqual([{ at: new Date(T0 + 120_000), text: 'TypeError: no 2' }]);
    expect(lastErrors(after([failure(3)], old)).map(({ attempt, text }) => [attempt, text])).toEqual([
      [3, 'TypeError: no 3'],
      [undefined, 'TypeError: no 2'],
    ]);
  });

  it('have an error in its place that an earlier release recorded in between, and leave out the one before, whose text is lost', () => {
    const job = { ...after([failure(1)]), starts: 2, error: failure(2) };
    expect(lastErrors(job).map(({ text }) => text)).toEqual(['TypeError: no 2']);
    const next = after([failure(3)], job);
    expect(lastErrors(next).map(({ text }) => text)).toEqual(['TypeError: no 3', 'TypeError: no 2']);
    expect(next.lastErrors?.split('\n')).toHaveLength(2);
  });

  it('name no attempt if none ended so', () => {
    const buried = { ...failure(2), name: 'BuriedByOperator' };
    const job = { starts: 1, error: buried, lastErrors: withError(after([failure(1)]), buried, 0) };
    expect(lastErrors(job)).toEqual([
      { at: new Date(T0 + 120_000), text: 'BuriedByOperator: no 2' },
      { at: new Date(T0 + 60_000), attempt: 1, text: 'TypeError: no 1' },
    ]);
  });

  it('leave out lines that cannot be read', () => {
    expect(lastErrors({ lastErrors: 'nonsense\n\n2026-01-31T12:01:00.000Z x y\n2026-01-31T12:01:00.000Z 3 a b' })).toEqual([
      { at: new Date(T0 + 60_000), attempt: 3, text: 'a b' },
    ]);
  });

  it('take at most 500 bytes, one line each, whatever was thrown', () => {
    const error = fc.record({
      name: fc.string({ unit: 'binary', maxLength: 128 }),
      message: fc.string({ unit: 'binary', maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(error, { minLength: 1, maxLength: 9 }), fc.nat(100_000), (thrown, starts) => {
        const errors = thrown.map((one, n) => ({ ...one, at: T0 + n }));
        const job = after(errors, { starts });
        expect(utf8Bytes(job.lastErrors ?? '')).toBeLessThanOrEqual(500);
        expect(lastErrors(job).map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: Math.min(5, thrown.length) }, (_, n) => starts + thrown.length - n),
        );
      }),
    );
  });
});
