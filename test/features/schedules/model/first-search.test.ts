import { describe, expect, it } from 'vitest';
import {
  nextOccurrence,
  parseRecurrence,
  type RecurrenceInput,
  searchFrom,
} from '../../../../shared/features/schedules/model/recurrence.ts';

const NEW_YEAR = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;

/** Where a schedule that is made at `now` begins to look for its first occurrence. */
const searched = (input: RecurrenceInput, now: number): number => searchFrom(parseRecurrence(input), now);

describe('the first search of a new schedule', () => {
  it.each<[string, RecurrenceInput]>([
    ['a cron expression', { cron: '0 0 * * *' }],
    ['a cron expression with a past from', { cron: '0 0 * * *', from: NEW_YEAR }],
    ['a repetition without end', { every: 'R/2026-01-01T00:00:00Z/P1D' }],
    ['a bounded repetition without a start', { every: 'R5/P1D' }],
    ['a bounded repetition that starts later', { every: 'R5/2027-01-01T00:00:00Z/P1D' }],
  ])('of %s looks from now on', (_, input) => {
    const now = NEW_YEAR + 3 * DAY;
    const from = searched(input, now);
    expect(from).toBeLessThanOrEqual(now);
    expect(nextOccurrence(parseRecurrence(input), from, now)).toEqual(nextOccurrence(parseRecurrence(input), now, now));
  });

  it('of a bounded repetition finds its very first occurrence, however long ago that was', () => {
    for (const input of [{ every: 'R5/2026-01-01T00:00:00Z/P1D' }, { every: 'R5/P1D', from: NEW_YEAR }]) {
      for (const now of [NEW_YEAR, NEW_YEAR + 3 * DAY, NEW_YEAR + 300 * DAY]) {
        expect(nextOccurrence(parseRecurrence(input), searched(input, now), now)).toEqual({ at: NEW_YEAR });
      }
    }
  });
});
