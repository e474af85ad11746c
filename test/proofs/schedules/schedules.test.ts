import { describe, expect, it } from 'vitest';
import { parseRecurrence } from '../../../shared/features/schedules/model/recurrence.ts';
import { compareSparse } from './compare-sparse.ts';
import { compareWithCroner, compareWithOracle, EXPRESSIONS, firstAfter } from './compare.ts';
import { sparseOccurrences, walkLong } from './sparse-oracle.ts';
import { ZONES } from './zones.ts';

describe('occurrences over the years', () => {
  it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia'])(
    'in %s are those of a minute-by-minute walk, by every policy',
    (zone) => {
      const { occurrences, differences } = compareWithOracle(zone, [2011, 2012]);
      expect(differences).toEqual([]);
      expect(occurrences).toBeGreaterThan(1_000);
    },
  );

  it.each(['America/New_York', 'Asia/Tehran', 'America/Santiago'])('in %s are those of a second implementation', (zone) => {
    const compared = EXPRESSIONS.map((cron) => compareWithCroner(zone, cron, [2020, 2021]));
    expect(compared.flatMap(({ differences }) => differences)).toEqual([]);
    expect(Math.min(...compared.map(({ occurrences }) => occurrences))).toBeGreaterThan(20);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana'])(
    'in %s are those of a walk over 400 days for expressions that seldom come',
    (zone) => {
      const { occurrences, differences } = compareSparse(zone, [2025, 2025], { seed: 1, each: 30 });
      expect(differences).toEqual([]);
      expect(occurrences).toBeGreaterThan(200);
    },
  );

  it('are compared in fifty zones', () => expect(new Set(ZONES).size).toBe(50));
});

const DAY = 86_400_000;
const sunday = ({ week }: { readonly week: number }): boolean => week === 0;
const months = (from: number, through: number): ReadonlySet<number> =>
  new Set(Array.from({ length: through - from + 1 }, (_, index) => from + index));

describe('after the first showing of an hour', () => {
  it.each([
    {
      zone: 'Europe/Berlin',
      after: '2025-10-26T00:15:00Z',
      times: { cron: '15 2 * 4-10 SUN', minutes: new Set([15]), hours: new Set([2]), open: false, months: months(4, 10), day: sunday },
      first: '2026-04-05T00:15:00.000Z ',
    },
    {
      zone: 'America/New_York',
      after: '2025-11-02T05:30:00Z',
      times: {
        cron: '30 1 * 11 SUN#1',
        minutes: new Set([30]),
        hours: new Set([1]),
        open: false,
        months: months(11, 11),
        day: ({ week, month }: { readonly week: number; readonly month: number }) => week === 0 && month <= 7,
      },
      first: '2026-11-01T05:30:00.000Z first',
    },
    {
      zone: 'Europe/Berlin',
      after: '2025-10-26T00:50:00Z',
      times: {
        cron: '*/10 2 * 10 SUN',
        minutes: new Set([0, 10, 20, 30, 40, 50]),
        hours: new Set([2]),
        open: false,
        months: months(10, 10),
        day: sunday,
      },
      first: '2026-10-04T00:00:00.000Z ',
    },
  ])('$times.cron in $zone goes on as the walk does, a year later', ({ zone, after, times, first }) => {
    const [start, range] = [Date.parse(after), [Date.parse(after), Date.parse(after) + 400 * DAY, 10] as const];
    const walk = walkLong(zone, start - 2 * DAY, start + 402 * DAY);
    const expected = sparseOccurrences(walk, times, { gap: 'shift', overlap: 'first' }, range);
    expect(firstAfter(parseRecurrence({ cron: times.cron, zone }), range)).toEqual(expected);
    expect(expected[0]).toBe(first);
  });
});
