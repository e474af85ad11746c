import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { hasRoom, isCurrent } from '../../../../shared/features/backlogs/model/backlog.ts';
import { BacklogFullError } from '../../../../shared/features/backlogs/model/backlog-full-error.ts';
import { OwnJobs } from '../../../../shared/features/backlogs/model/own-jobs.ts';
import { anyPayload } from '../../../support/any-payload.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 0, 1, 12);

describe('the bound of a type', () => {
  it('is a whole number of at least 1, or absent', () => {
    expect(defineJob('a', { payload: anyPayload, maxBacklog: 1 })).toMatchObject({ maxBacklog: 1 });
    expect(defineJob('a', { payload: anyPayload, maxBacklog: 1_000_000 })).toMatchObject({ maxBacklog: 1_000_000 });
    expect(defineJob('a', { payload: anyPayload })).not.toHaveProperty('maxBacklog');
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '5', null]) {
      expect(() => defineJob('a', { payload: anyPayload, maxBacklog: wrong as number })).toThrow(
        /^maxBacklog: .* is not valid\. Use a whole number, 1 or more/,
      );
    }
  });

  it('leaves room until all that is known and all that is added reach it', () => {
    expect(hasRoom({ measured: 2, own: 3, adding: 5 }, 10)).toBe(true);
    expect(hasRoom({ measured: 2, own: 3, adding: 6 }, 10)).toBe(false);
    expect(hasRoom({ measured: 11, own: 0, adding: 1 }, 10)).toBe(false);
  });
});

describe('a measurement', () => {
  it('counts for three runs of the sweeper after it was recorded, and twice as long as its pass took', () => {
    const quick = { count: 1, from: NOON, at: NOON };
    expect(isCurrent(quick, NOON + 3 * MINUTE, MINUTE)).toBe(true);
    expect(isCurrent(quick, NOON + 3 * MINUTE + 1, MINUTE)).toBe(false);
    const slow = { count: 1, from: NOON - 10 * MINUTE, at: NOON };
    expect(isCurrent(slow, NOON + 23 * MINUTE, MINUTE)).toBe(true);
    expect(isCurrent(slow, NOON + 23 * MINUTE + 1, MINUTE)).toBe(false);
  });

  it('does not count for ever if it was recorded by a clock that was ahead', () => {
    const ahead = { count: 1, from: NOON, at: NOON };
    expect(isCurrent(ahead, NOON - 3 * MINUTE, MINUTE)).toBe(true);
    expect(isCurrent(ahead, NOON - 3 * MINUTE - 1, MINUTE)).toBe(false);
  });
});

describe('the jobs that a process enqueued', () => {
  it('count while they are written, and afterwards for each pass that began before their write had ended', () => {
    const own = new OwnJobs();
    own.begin(5);
    expect(own.since(NOON)).toBe(5);
    own.begin(1);
    own.end(5, 3, NOON);
    expect(own.since(NOON)).toBe(4);
    expect(own.since(NOON + 1)).toBe(1);
    own.end(1, 0, NOON + HOUR / 2);
    expect(own.since(NOON)).toBe(3);
    expect(own.since(NOON + 1)).toBe(0);
  });

  it('of one second are one number, which counts until the last of them is measured', () => {
    const own = new OwnJobs();
    for (const ms of [0, 999, 1_000]) {
      own.begin(1);
      own.end(1, 1, NOON + ms);
    }
    expect(own.since(NOON + 999)).toBe(3);
    expect(own.since(NOON + 1_000)).toBe(1);
    // A clock that went back does not let them count for less long.
    own.begin(1);
    own.end(1, 1, NOON - HOUR);
    expect(own.since(NOON + 1_000)).toBe(2);
  });

  it('are kept for a day, unless a measurement that began later is known', () => {
    const own = new OwnJobs();
    for (const at of [NOON, NOON + MINUTE, NOON + 24 * HOUR]) {
      own.begin(1);
      own.end(1, 1, at);
    }
    expect(own.since(0)).toBe(3);
    own.begin(1);
    own.end(1, 1, NOON + 24 * HOUR + 1);
    expect(own.since(0)).toBe(3);
    own.forgetBefore(NOON + MINUTE);
    expect(own.since(0)).toBe(3);
    own.forgetBefore(NOON + MINUTE + 1);
    expect(own.since(0)).toBe(2);
  });
});

describe('the error of a full backlog', () => {
  const known = { type: 'mail', maxBacklog: 10, measured: 8, measuredAt: new Date(NOON), enqueuedSince: 2 };

  it('says what is known, and that the same call may succeed later', () => {
    const error = new BacklogFullError({ ...known, adding: 1 });
    expect(error).toMatchObject({ ...known, name: 'BacklogFullError', code: 'BACKLOG_FULL', retryable: true });
    expect(error.message).toBe(
      'maxBacklog: 1 more of "mail" would exceed 10 ready jobs. 8 were ready at 2026-01-01T12:00:00.000Z, and this process has enqueued 2 since. ' +
        "No job was created. Enqueue later, raise the worker's concurrency, or raise maxBacklog.",
    );
  });

  it('says that a call with more jobs than the bound never succeeds', () => {
    expect(new BacklogFullError({ ...known, adding: 10 }).retryable).toBe(true);
    const error = new BacklogFullError({ ...known, adding: 11 });
    expect(error.retryable).toBe(false);
    expect(error.message).toMatch(/No job was created\. Enqueue fewer at once, or raise maxBacklog\.$/);
  });
});
