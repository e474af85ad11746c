import { describe, expect, test } from 'vitest';
import { nextOccurrence, parseRecurrence, preview, type RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';

const BERLIN = 'Europe/Berlin';

/** The next instants after one, to the minute. */
function instants(input: RecurrenceInput, after: string, count: number): readonly string[] {
  return preview(parseRecurrence(input), Date.parse(after), count).map(({ at }) => at.toISOString().slice(0, 16));
}

describe('after an hour that the clocks show twice', () => {
  test('a match beyond the next change of the clocks is found with the offset that holds then', () => {
    const sundays = { cron: '15 2 * 4-10 SUN', zone: BERLIN };
    expect(instants(sundays, '2025-10-26T00:15:00Z', 2)).toEqual(['2026-04-05T00:15', '2026-04-12T00:15']);
    const november = { cron: '30 1 * 11 SUN#1', zone: 'America/New_York' };
    expect(instants(november, '2025-11-02T05:30:00Z', 2)).toEqual(['2026-11-01T05:30', '2027-11-07T05:30']);
  });

  test('the runs of another year come one by one, and none is lost', () => {
    const often = { cron: '*/10 2 * 10 SUN', zone: BERLIN };
    expect(instants(often, '2025-10-26T00:50:00Z', 7)).toEqual([
      '2026-10-04T00:00',
      '2026-10-04T00:10',
      '2026-10-04T00:20',
      '2026-10-04T00:30',
      '2026-10-04T00:40',
      '2026-10-04T00:50',
      '2026-10-11T00:00',
    ]);
  });

  test('a search that begins within the second showing leaves the rest of it out', () => {
    const often = { cron: '*/10 2 * 10 SUN', zone: BERLIN };
    expect(instants(often, '2025-10-26T01:20:00Z', 1)).toEqual(['2026-10-04T00:00']);
  });
});

describe('an open hour', () => {
  test.each([
    '0 * * * *',
    '0 ? * * *',
    '0 0/1 * * *',
    '0 00/1 * * *',
    '0 0-23 * * *',
    '0 0-23/1 * * *',
    '0 0-11,12-23 * * *',
    '0 */1 * * *',
  ])('written as %s comes in both showings of an hour', (cron) =>
    expect(instants({ cron, zone: BERLIN }, '2025-10-25T23:00:00Z', 3)).toEqual([
      '2025-10-26T00:00',
      '2025-10-26T01:00',
      '2025-10-26T02:00',
    ]),
  );

  test.each(['0 */2 * * *', '0 ?/2 * * *', '0 0/2 * * *', '0 0-23/2 * * *'])('is a step over the whole day as well: %s', (cron) => {
    expect(instants({ cron, zone: BERLIN }, '2025-10-25T22:00:00Z', 3)).toEqual([
      '2025-10-26T00:00',
      '2025-10-26T01:00',
      '2025-10-26T03:00',
    ]);
  });

  test.each(['0 1-23 * * *', '0 2 * * *', '0 2/1 * * *', '0 0,2,4 * * *', '0 */2,1 * * *', '0 1,*/2 * * *'])(
    'is not one that leaves an hour out: %s',
    (cron) => {
      expect(instants({ cron, zone: BERLIN }, '2025-10-26T00:00:00Z', 1)).not.toEqual(['2025-10-26T01:00']);
    },
  );

  test('in a gap shorter than an hour comes once more, an hour after the last, unless gaps are skipped', () => {
    const hourly = { cron: '0 * * * *', zone: 'Australia/Lord_Howe' };
    const walls = (input: RecurrenceInput): readonly string[] =>
      preview(parseRecurrence(input), Date.parse('2025-10-04T14:00:00Z'), 3).map(({ wall, mark = '' }) => `${wall.slice(11, 16)} ${mark}`);
    expect(walls(hourly)).toEqual(['01:00 ', '02:30 gap-shifted', '03:00 ']);
    expect(walls({ ...hourly, dst: { gap: 'skip' } })).toEqual(['01:00 ', '03:00 ', '04:00 ']);
  });
});

describe('the start of a repetition', () => {
  test('within the second showing of its time of day is the first occurrence, not an hour before', () => {
    const repeated = { every: 'R3/2025-10-26T01:30:00Z/P1D', zone: BERLIN };
    expect(instants(repeated, '2025-10-01T00:00:00Z', 9)).toEqual(['2025-10-26T01:30', '2025-10-27T01:30', '2025-10-28T01:30']);
    expect(instants({ every: 'R3/P1D', from: '2025-10-26T01:30:00Z', zone: BERLIN }, '2025-10-01T00:00:00Z', 1)).toEqual([
      '2025-10-26T01:30',
    ]);
  });

  test('within the first showing stays there, also where the second is asked for', () => {
    const repeated = { every: 'R2/2025-10-26T00:30:00Z/P1D', zone: BERLIN, dst: { overlap: 'second' } } as const;
    expect(instants(repeated, '2025-10-01T00:00:00Z', 9)).toEqual(['2025-10-26T00:30', '2025-10-27T01:30']);
    expect(nextOccurrence(parseRecurrence(repeated), 0, 0)).toEqual({ at: Date.parse('2025-10-26T00:30:00Z'), mark: 'first' });
  });
});

test('a period takes fractions of hours and minutes, and weeks beside days', () => {
  expect(instants({ every: 'R2/2026-01-01T00:00:00Z/PT0.5H' }, '2025-12-31T00:00:00Z', 9)).toEqual([
    '2026-01-01T00:00',
    '2026-01-01T00:30',
  ]);
  expect(instants({ every: 'R2/2026-01-01T00:00:00Z/PT1.5M' }, '2025-12-31T00:00:00Z', 9)).toEqual([
    '2026-01-01T00:00',
    '2026-01-01T00:01',
  ]);
  expect(instants({ every: 'R2/2026-01-01T00:00:00Z/P1W2D' }, '2025-12-31T00:00:00Z', 9)).toEqual(['2026-01-01T00:00', '2026-01-10T00:00']);
});
