import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { cameDue } from '../../../../shared/features/schedules/model/come-due.ts';
import { definitionHash, defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { plannedAfter, type Schedule } from '../../../../shared/features/schedules/model/schedule.ts';
import * as z from 'zod/mini';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const job = defineJob('report', { payload: z.record(z.string(), z.unknown()) });

/** A schedule that fired `runs` occurrences, the last of which stands for so many minutes after the start. */
function fired(cron: string, runs: number, lastMinute?: number, jitter?: string): Schedule {
  const definition = defineSchedule('often', { job, payload: {}, cron, ...(jitter === undefined ? {} : { jitter }) });
  const last = lastMinute === undefined ? undefined : START + lastMinute * MINUTE;
  const counts = { rev: 1, runs, missed: 0, skipped: 0, ...(last === undefined ? {} : { lastNominal: last }) };
  const schedule: Schedule = { definition, origin: 'code', hash: definitionHash(definition), createdAt: START, anchor: START, ...counts };
  const next = plannedAfter(schedule, last ?? START);
  return next === undefined ? schedule : { ...schedule, next };
}

const minutes = (at: number | undefined): number | undefined => (at === undefined ? undefined : (at - START) / MINUTE);
const seen = (schedule: Schedule, minute: number) => {
  const { runs, ahead, last, next } = cameDue(schedule, START + minute * MINUTE);
  return { runs, ahead, last: minutes(last), next: minutes(next?.nominal) };
};

describe('occurrences that were fired ahead of their time', () => {
  it('have not come due: a schedule of which nothing is due yet shows no run and no last one', () => {
    expect(seen(fired('* * * * *', 5, 5), 0.7)).toEqual({ runs: 0, ahead: 5, last: undefined, next: 1 });
  });

  it('are told apart from those whose time has come', () => {
    expect(seen(fired('* * * * *', 10, 10), 5.5)).toEqual({ runs: 5, ahead: 5, last: 5, next: 6 });
    expect(seen(fired('* * * * *', 10, 10), 5)).toEqual({ runs: 5, ahead: 5, last: 5, next: 6 });
  });

  it('leave the last one found that lies long before them', () => {
    expect(seen(fired('0 0 1 * *', 2, 59 * 24 * 60), 59 * 24 * 60 - 3)).toEqual({
      runs: 1,
      ahead: 1,
      last: 31 * 24 * 60,
      next: 59 * 24 * 60,
    });
  });

  it('are none once their time has come', () => {
    expect(seen(fired('* * * * *', 5, 5), 5)).toEqual({ runs: 5, ahead: 0, last: 5, next: 6 });
    expect(seen(fired('* * * * *', 0), 5)).toEqual({ runs: 0, ahead: 0, last: undefined, next: 1 });
  });

  it('are told apart by the time with jitter at which they start', () => {
    const schedule = fired('* * * * *', 40, 40, 'PT10M');
    for (const minute of [31, 35.5, 38]) {
      const { runs, ahead } = seen(schedule, minute);
      expect(runs + ahead).toBe(40);
      const later = (_: unknown, index: number) => (plannedAfter(schedule, START + index * MINUTE)?.dueAt ?? 0) > START + minute * MINUTE;
      expect(ahead).toBe(Array.from({ length: 40 }, () => 0).filter(later).length);
    }
  });
});
