import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../../../shared/job/attempt.ts';
import { attemptEntry, finishedEntry } from '../../../../shared/features/history/model/history-entry.ts';
import type { FinishedJob } from '../../../../shared/job/job.ts';
import { NOON, sampleJob } from '../../../unit/job/sample-job.ts';

const { payload: _, ...job } = sampleJob({ starts: 3, failures: 2, crashes: 1 });
const finished: FinishedJob = { ...job, outcome: 'completed', finishedAt: NOON + 5_000 };

describe('a finished job, as users see it,', () => {
  const always = {
    id: finished.id,
    type: 'invoice.send',
    outcome: 'completed',
    dueAt: new Date(NOON),
    finishedAt: new Date(NOON + 5_000),
    attempts: 3,
    failures: 2,
    crashes: 1,
  };

  it('says when it was due and ended, and how often it was tried, but nothing of how it is stored', () => {
    // Strictly: a job without a tenant has no `tenant`, not one that is undefined.
    expect(finishedEntry(finished)).toStrictEqual(always);
  });

  it('names what it belonged to, and shows the payload where that was kept', () => {
    const given = { tenant: 'acme', group: 'order 17', correlationId: 'c-1', batch: 'b-1', schedule: 'nightly', payload: '{"n":1}' };
    expect(finishedEntry({ ...finished, ...given, startedAt: NOON + 1_000 })).toStrictEqual({
      ...always,
      ...given,
      startedAt: new Date(NOON + 1_000),
    });
  });
});

describe('an attempt, as users see it,', () => {
  const record: AttemptRecord = {
    jobId: finished.id,
    run: 7,
    type: 'invoice.send',
    worker: 'default',
    attempt: 2,
    startedAt: NOON + 1_000,
    endedAt: NOON + 3_000,
    outcome: 'retried',
    requestId: 'r-1',
  };
  const always = { attempt: 2, startedAt: new Date(NOON + 1_000), endedAt: new Date(NOON + 3_000), outcome: 'retried', requestId: 'r-1' };

  it('has the number that the handler saw, its times and its outcome, but nothing that its job says already', () => {
    expect(attemptEntry({ ...record, tenant: 'acme' })).toStrictEqual(always);
  });

  it('tells why its job died, which version ran it, and the error with its time', () => {
    const error = { name: 'TypeError', message: 'no invoice', stack: 'at send', at: NOON + 3_000 };
    const died = { outcome: 'dead-lettered', reason: 'retries-exhausted', version: '42' } as const;
    expect(attemptEntry({ ...record, ...died, error })).toStrictEqual({
      ...always,
      ...died,
      error: { name: 'TypeError', message: 'no invoice', stack: 'at send', at: new Date(NOON + 3_000) },
    });
  });

  it('shows an error that came without a stack', () => {
    const error = { name: 'Error', message: 'thrown by hand', at: NOON };
    expect(attemptEntry({ ...record, error }).error).toStrictEqual({ ...error, at: new Date(NOON) });
  });

  it('shows the lines that its handler logged', () => {
    const lines = [{ at: '2026-01-01T12:00:01.000Z', level: 'info', message: 'sent' }, { missing: 3 }];
    expect(attemptEntry({ ...record, log: JSON.stringify(lines) })).toStrictEqual({ ...always, log: lines });
  });

  it.each(['sent', '{"message":"sent"}', ''])('shows a log that somebody edited to %j as it stands', (log) => {
    expect(attemptEntry({ ...record, log }).log).toEqual([log]);
  });
});
