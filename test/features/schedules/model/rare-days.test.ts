import { expect, it } from 'vitest';
import { nextOccurrence, parseRecurrence } from '../../../../shared/features/schedules/model/recurrence.ts';

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

it('a time that the clocks skip in every year never comes where skipped times are left out, and is moved otherwise', () => {
  // The clocks of New York go from two to three on the second Sunday of March.
  const cron = { cron: '17 2 ? 3 SUN#2', zone: 'America/New_York' };
  const after = Date.UTC(2010, 2, 14, 20, 4);
  expect(nextOccurrence(parseRecurrence({ ...cron, dst: { gap: 'skip' } }), after, after)).toBeUndefined();
  expect(nextOccurrence(parseRecurrence(cron), after, after)).toEqual({ at: Date.UTC(2011, 2, 13, 7, 17), mark: 'gap-shifted' });
});
