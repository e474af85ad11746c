import { expect, it } from 'vitest';
import { nextOccurrence, parseRecurrence } from '../../../../shared/core/schedule/recurrence.ts';

it.each([
  ['FRI#5', '2036-02-29'],
  ['MON#5', '2044-02-29'],
])('finds the fifth %s of a February, which comes once in 28 years', (day, expected) => {
  const recurrence = parseRecurrence({ cron: `0 0 * 2 ${day}` });
  const now = Date.UTC(2026, 2, 1);
  expect(nextOccurrence(recurrence, now, now)?.at).toBe(Date.parse(`${expected}T00:00:00Z`));
});

it('finds it across a century without a leap day too, and in a zone', () => {
  const recurrence = parseRecurrence({ cron: '0 0 * 2 FRI#5', zone: 'Europe/Berlin' });
  const now = Date.UTC(2093, 0);
  expect(nextOccurrence(recurrence, now, now)?.at).toBe(Date.parse('2104-02-28T23:00:00Z'));
});
