import { describe, expect, test } from 'vitest';
import { parseRetryPolicy } from '../../../../shared/job/retry-policy.ts';
import { parseRecurrence, preview } from '../../../../shared/features/schedules/model/recurrence.ts';

const START = '2026-01-01T00:00:00Z';
const times = (input: Parameters<typeof parseRecurrence>[0], after = '2025-12-31T12:30:00Z'): readonly string[] =>
  preview(parseRecurrence(input), Date.parse(after), 4).map(({ at }) => at.toISOString().slice(0, 16));

describe('beside Flowable and Camunda', () => {
  test('R3/start/PT1H comes three times, the start included', () => {
    expect(times({ every: `R3/${START}/PT1H` })).toEqual(['2026-01-01T00:00', '2026-01-01T01:00', '2026-01-01T02:00']);
  });

  test('R/PT1H/end counts from when the schedule was made, and ends there', () => {
    expect(times({ every: `R/PT1H/2025-12-31T15:00:00Z` })).toEqual(['2025-12-31T13:30', '2025-12-31T14:30']);
  });

  test('R/start/end is refused, because it names no period', () => {
    expect(() => parseRecurrence({ every: `R/${START}/2026-02-01T00:00:00Z` })).toThrow(/Use R\/PT1H/);
  });

  test('2 as the day of the week is Tuesday', () => {
    expect(times({ cron: '0 0 12 ? * 2' })[0]).toBe('2026-01-06T12:00');
  });

  test('R9 with a list is nine executions, PT10M alone is two, and R/PT10S is no retry policy', () => {
    expect(parseRetryPolicy('R9/PT10M,PT17M,PT20M')).toMatchObject({ tries: 9 });
    expect(parseRetryPolicy('PT10M')).toMatchObject({ tries: 2 });
    expect(() => parseRetryPolicy('R/PT10S')).toThrow(/^retry: /);
  });
});
