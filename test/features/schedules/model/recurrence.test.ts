import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { nextOccurrence, parseRecurrence, preview, type RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';
import { nextRepetition } from '../../../../shared/features/schedules/model/repetition.ts';

/** What comes after an instant, as the zone's clocks show it, with its mark. */
function walls(input: RecurrenceInput, after: string, count: number): readonly string[] {
  const found = preview(parseRecurrence(input), Date.parse(after), count);
  return found.map(({ wall, mark }) => `${wall.slice(0, 16)}${mark === undefined ? '' : ` ${mark}`}`);
}

function instants(input: RecurrenceInput, after: string, count: number): readonly string[] {
  return preview(parseRecurrence(input), Date.parse(after), count).map(({ at }) => at.toISOString().slice(0, 16));
}

describe('a cron expression', () => {
  it.each([
    ['*/15 9 * * *', ['2026-01-01T09:00', '2026-01-01T09:15', '2026-01-01T09:30', '2026-01-01T09:45', '2026-01-02T09:00']],
    ['0 12 1,15 * *', ['2026-01-01T12:00', '2026-01-15T12:00', '2026-02-01T12:00', '2026-02-15T12:00', '2026-03-01T12:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00', '2040-02-29T00:00', '2044-02-29T00:00']],
    ['0 9 * * MON-FRI', ['2026-01-01T09:00', '2026-01-02T09:00', '2026-01-05T09:00', '2026-01-06T09:00', '2026-01-07T09:00']],
    ['0 9 * * 7', ['2026-01-04T09:00', '2026-01-11T09:00', '2026-01-18T09:00', '2026-01-25T09:00', '2026-02-01T09:00']],
    ['0 9 13 * FRI', ['2026-01-02T09:00', '2026-01-09T09:00', '2026-01-13T09:00', '2026-01-16T09:00', '2026-01-23T09:00']],
    ['0 9 L * *', ['2026-01-31T09:00', '2026-02-28T09:00', '2026-03-31T09:00', '2026-04-30T09:00', '2026-05-31T09:00']],
    ['0 9 ? * MON#1', ['2026-01-05T09:00', '2026-02-02T09:00', '2026-03-02T09:00', '2026-04-06T09:00', '2026-05-04T09:00']],
    ['0 9 ? * FRIL', ['2026-01-30T09:00', '2026-02-27T09:00', '2026-03-27T09:00', '2026-04-24T09:00', '2026-05-29T09:00']],
    ['0 0 FRI-SUN JAN *', []],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00', '2026-01-25T00:00', '2026-02-01T00:00']],
  ])('%s comes when it says', (cron, expected) => {
    if (expected.length === 0) expect(() => parseRecurrence({ cron })).toThrow(InvalidInputError);
    else expect(walls({ cron }, '2025-12-31T23:59:59Z', 5)).toEqual(expected);
  });

  it('takes seconds as a first of six fields', () => {
    const found = preview(parseRecurrence({ cron: '*/20 * * * * *' }), Date.parse('2026-01-01T00:00:00Z'), 3);
    expect(found.map(({ at }) => at.toISOString())).toEqual([
      '2026-01-01T00:00:20.000Z',
      '2026-01-01T00:00:40.000Z',
      '2026-01-01T00:01:00.000Z',
    ]);
  });

  it('is later by the length of a gap, or left out on that day', () => {
    const daily = { cron: '30 2 * * *', zone: 'Europe/Berlin' };
    expect(walls(daily, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T03:30 gap-shifted', '2026-03-30T02:30']);
    expect(walls({ ...daily, dst: { gap: 'skip' } }, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-30T02:30', '2026-03-31T02:30']);
  });

  it('comes once where the clocks show it twice, the first time, the second, or both, as it was told', () => {
    const daily = { cron: '30 2 * * *', zone: 'Europe/Berlin' };
    const after = '2026-10-24T12:00:00Z';
    expect(instants(daily, after, 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(instants({ ...daily, dst: { overlap: 'second' } }, after, 2)).toEqual(['2026-10-25T01:30', '2026-10-26T01:30']);
    expect(walls({ ...daily, dst: { overlap: 'both' } }, after, 3)).toEqual([
      '2026-10-25T02:30 first',
      '2026-10-25T02:30 second',
      '2026-10-26T02:30',
    ]);
  });

  it('of every hour comes every hour, also when the clocks change', () => {
    const hourly = { cron: '0 * * * *', zone: 'Europe/Berlin' };
    expect(instants(hourly, '2026-10-24T23:00:00Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ]);
    expect(instants(hourly, '2026-03-28T23:00:00Z', 3)).toEqual(['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00']);
  });

  it('copes with a day that a zone left out', () => {
    expect(walls({ cron: '0 9 * * *', zone: 'Pacific/Apia', dst: { gap: 'skip' } }, '2011-12-29T00:00:00Z', 2)).toEqual([
      '2011-12-29T09:00',
      '2011-12-31T09:00',
    ]);
  });

  it('keeps within from and until', () => {
    const bounded = { cron: '0 9 * * *', from: '2026-02-01T09:00:00Z', until: '2026-02-03T09:00:00Z' };
    expect(walls(bounded, '2026-01-01T00:00:00Z', 9)).toEqual(['2026-02-01T09:00', '2026-02-02T09:00', '2026-02-03T09:00']);
  });

  it('comes once where from and until are the same instant', () => {
    const once = { cron: '0 9 * * *', from: '2026-02-01T09:00:00Z', until: '2026-02-01T09:00:00Z' };
    expect(walls(once, '2026-01-01T00:00:00Z', 9)).toEqual(['2026-02-01T09:00']);
  });
});

describe('a preview', () => {
  const daily = parseRecurrence({ cron: '0 9 * * *', zone: 'Asia/Tokyo' });

  it('shows each instant with what the clocks of its zone show then, to the second, and no mark on an ordinary day', () => {
    // Strictly: without a mark there is no `mark`, not one that is undefined.
    expect(preview(daily, Date.parse('2026-01-01T00:00:00Z'), 1)).toStrictEqual([
      { at: new Date('2026-01-02T00:00:00Z'), wall: '2026-01-02T09:00:00' },
    ]);
  });

  it('shows from 1 to 1000 occurrences', () => {
    expect([1, 1_000].map((count) => preview(daily, 0, count).length)).toEqual([1, 1_000]);
  });

  it.each([0, -1, 1_001, 1.5, Number.NaN])('of %d occurrences is refused', (count) => {
    const refused = expect.objectContaining({
      name: 'InvalidInputError',
      field: 'count',
      message: expect.stringMatching(/1 to 1000/) as string,
    });
    expect(() => preview(daily, 0, count)).toThrow(refused as Error);
  });
});

describe('a repetition', () => {
  it('without a start begins a period from now', () =>
    expect(walls({ every: 'R3/PT90M' }, '2026-01-01T00:00:00Z', 9)).toEqual(['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']));

  it('begins at from where it names no start, and otherwise at its start, whenever it is asked', () => {
    const begin = '2026-03-01T00:00:00Z';
    for (const input of [{ every: 'R2/P1D', from: begin }, { every: `R2/${begin}/P1D` }]) {
      expect(walls(input, '2026-01-01T12:34:56Z', 9)).toEqual(['2026-03-01T00:00', '2026-03-02T00:00']);
    }
  });

  it('counts from its start, so that those of the past are used up', () => {
    const five = { every: 'R5/2026-01-01T00:00:00Z/P1D' };
    expect(walls(five, '2026-01-03T12:00:00Z', 9)).toEqual(['2026-01-04T00:00', '2026-01-05T00:00']);
    expect(walls(five, '2026-02-01T00:00:00Z', 9)).toEqual([]);
  });

  it('ends at its end', () =>
    expect(walls({ every: 'R/2026-01-01T00:00:00Z/P1D/2026-01-02T12:00:00Z' }, '2025-01-01T00:00:00Z', 9)).toEqual([
      '2026-01-01T00:00',
      '2026-01-02T00:00',
    ]));

  it('of months comes back to the 31st after a month that has none', () =>
    expect(walls({ every: 'R4/2026-01-31T10:00:00Z/P1M' }, '2026-01-01T00:00:00Z', 9)).toEqual([
      '2026-01-31T10:00',
      '2026-02-28T10:00',
      '2026-03-31T10:00',
      '2026-04-30T10:00',
    ]));

  it('of days is later by the length of a gap, or left out on that day', () => {
    const daily = { every: 'R/2026-03-27T01:30:00Z/P1D', zone: 'Europe/Berlin' };
    expect(walls(daily, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T03:30 gap-shifted', '2026-03-30T02:30']);
    expect(walls({ ...daily, dst: { gap: 'skip' } }, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-30T02:30', '2026-03-31T02:30']);
  });

  it('of days comes once where the clocks show its time twice, the first time or the second', () => {
    const daily = { every: 'R/2026-10-24T00:30:00Z/P1D', zone: 'Europe/Berlin' };
    const after = '2026-10-24T12:00:00Z';
    expect(instants(daily, after, 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(instants({ ...daily, dst: { overlap: 'second' } }, after, 2)).toEqual(['2026-10-25T01:30', '2026-10-26T01:30']);
  });

  it('of days keeps the time of day of its zone, one of hours does not', () => {
    const berlin = { zone: 'Europe/Berlin' };
    expect(walls({ every: 'R3/2026-03-28T08:00:00Z/P1D', ...berlin }, '2026-01-01T00:00:00Z', 9)).toEqual([
      '2026-03-28T09:00',
      '2026-03-29T09:00',
      '2026-03-30T09:00',
    ]);
    expect(walls({ every: 'R3/2026-03-28T08:00:00Z/PT24H', ...berlin }, '2026-01-01T00:00:00Z', 9)).toEqual([
      '2026-03-28T09:00',
      '2026-03-29T10:00',
      '2026-03-30T10:00',
    ]);
  });

  it('is found as quickly years after its start', () => {
    const often = parseRecurrence({ every: 'R/2000-01-01T00:00:00Z/PT1S' });
    expect(nextOccurrence(often, Date.parse('2026-01-01T00:00:00.500Z'), 0)).toEqual({ at: Date.parse('2026-01-01T00:00:01Z') });
    const monthly = parseRecurrence({ every: 'R/1970-01-31T00:00:00Z/P1M' });
    expect(nextOccurrence(monthly, Date.parse('2026-02-01T00:00:00Z'), 0)).toEqual({ at: Date.parse('2026-02-28T00:00:00Z') });
  });

  it('with an exact period looks at a few occurrences only, however short the period is', () => {
    let looked = 0;
    const period = {
      months: 0,
      days: 0,
      get ms() {
        looked++;
        return 1_000;
      },
    };
    const anchor = Date.parse('2026-01-01T00:00:00Z');
    const dst = { gap: 'shift', overlap: 'first' } as const;
    const found = nextRepetition({ period, anchor, zone: 'UTC', dst }, anchor + 30 * 86_400_000);
    expect(found).toEqual({ at: anchor + 30 * 86_400_000 + 1_000 });
    expect(looked).toBeLessThan(10);
  });
});

describe('a recurrence that cannot be is refused', () => {
  it.each<[RecurrenceInput, string, RegExp]>([
    [{}, 'cron', /either cron/],
    [{ cron: '0 0 * * *', every: 'PT1H' }, 'cron', /either cron/],
    [{ cron: '0 0 31 2 *' }, 'cron', /This day never occurs/],
    [{ cron: '0 0 30,31 2 *' }, 'cron', /This day never occurs/],
    [{ cron: '* * * *' }, 'cron', /5 fields/],
    [{ cron: '60 * * * *' }, 'cron', /In minute use 0 to 59/],
    [{ cron: '5-1 * * * *' }, 'cron', /In minute/],
    [{ cron: '*/0 * * * *' }, 'cron', /In minute/],
    [{ cron: '0 0 * FOO *' }, 'cron', /JAN to DEC/],
    [{ cron: `${'0,'.repeat(200)}0 * * * *` }, 'cron', /5 fields/],
    [{ cron: '0 0 * * *', zone: 'Europe/Atlantis' }, 'zone', /IANA/],
    [{ cron: '0 0 * * *', zone: '+01:00' }, 'zone', /IANA/],
    [{ cron: '0 0 * * *', dst: { gap: 'later' as 'shift' } }, 'dst.gap', /shift, skip/],
    [{ cron: '0 0 * * *', dst: { gaps: 'skip' } as object }, 'dst', /"gaps".*Did you mean gap/],
    [{ cron: '0 0 * * *', from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'until', /before from/],
    [{ every: 'PT0S' }, 'every', /a second or more/],
    [{ every: 'PT0.999S' }, 'every', /a second or more/],
    [{ every: 'R0/PT1H' }, 'every', /never run/],
    [{ every: 'R/P' }, 'every', /Use R\/PT1H/],
    [{ every: 'R/2026-01-01/P1D' }, 'every', /offset/],
    [{ every: 'R/2026-01-01T00:00:00Z/P1D/2025-01-01T00:00:00Z' }, 'every', /ends before/],
    [{ every: '5 minutes' }, 'every', /Use R\/PT1H/],
    [{ every: 'P1.5D' }, 'every', /Use R\/PT1H/],
    [{ every: 'P1D', dst: { overlap: 'both' } }, 'dst.overlap', /"both".*once a period/],
    [{ every: 'R/2026-01-01T00:00:00Z/P1D', from: '2026-01-01T00:00:00Z' }, 'from', /start already/],
  ])('%j: %s', (input, field, fix) => {
    const refused = (() => {
      try {
        return parseRecurrence(input);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect(refused).toMatchObject({ field, message: expect.stringMatching(fix) as string });
  });
});
