import { describe, expect, it } from 'vitest';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { checkScheduleDefinition, defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import {
  nextOccurrence,
  parseRecurrence,
  preview,
  type Recurrence,
  type RecurrenceInput,
} from '../../../../shared/features/schedules/model/recurrence.ts';
import { anyPayload } from '../../../support/any-payload.ts';
import { TEST_SEED } from '../../../support/test-seed.ts';

const DAY = 86_400_000;
const report = defineJob('report', { payload: anyPayload });
const define = (times: RecurrenceInput) => defineSchedule('nightly', { job: report, payload: {}, ...times });
const walls = (input: RecurrenceInput, from: string, count: number): readonly string[] =>
  preview(parseRecurrence(input), Date.parse(from), count).map(({ wall }) => wall.slice(0, 16));

describe('a schedule with excluded days', () => {
  it('leaves out dates, days of every year, ranges and weekdays, and comes at its next time after them', () => {
    const nine = { cron: '0 9 * * *' };
    expect(walls({ ...nine, exclude: ['2026-12-25'] }, '2026-12-24T00:00:00Z', 3)).toEqual([
      '2026-12-24T09:00',
      '2026-12-26T09:00',
      '2026-12-27T09:00',
    ]);
    expect(walls({ ...nine, exclude: ['12-25', ' 12-26 '] }, '2027-12-25T00:00:00Z', 1)).toEqual(['2027-12-27T09:00']);
    expect(walls({ ...nine, exclude: ['2026-12-24/2027-01-02'] }, '2026-12-23T12:00:00Z', 1)).toEqual(['2027-01-03T09:00']);
    expect(walls({ ...nine, exclude: ['12-24/01-02'] }, '2029-12-23T12:00:00Z', 2)).toEqual(['2030-01-03T09:00', '2030-01-04T09:00']);
    expect(walls({ ...nine, exclude: ['07-01/08-31'] }, '2026-06-30T12:00:00Z', 1)).toEqual(['2026-09-01T09:00']);
    expect(walls({ ...nine, exclude: ['sat', 'SUN'] }, '2026-03-06T12:00:00Z', 2)).toEqual(['2026-03-09T09:00', '2026-03-10T09:00']);
    expect(walls({ ...nine, exclude: ['02-29'] }, '2028-02-28T12:00:00Z', 1)).toEqual(['2028-03-01T09:00']);
    expect(walls({ ...nine, exclude: [] }, '2026-03-06T12:00:00Z', 1)).toEqual(['2026-03-07T09:00']);
  });

  it('is refused if none of its times is left, and not if one is', () => {
    const refused = /^exclude: .* No occurrence is left/;
    const [first, second] = ['2026-12-24', '2026-12-25'];
    const once = { every: `R1/${first}T00:00:00Z/P1D` };
    const twice = { every: `R2/${first}T00:00:00Z/P1D` };
    expect(() => define({ ...once, exclude: [first] })).toThrow(refused);
    expect(() => checkScheduleDefinition({ ...define({ ...once, exclude: [second] }) })).not.toThrow();
    expect(() => define({ ...twice, exclude: [`${first}/${second}`] })).toThrow(refused);
    expect(() => define({ ...twice, exclude: [second] })).not.toThrow();
    expect(() => define({ ...twice, exclude: [first] })).not.toThrow();
  });

  it('has no next time after its end', () => {
    const ended = parseRecurrence({ cron: '0 9 * * *', until: '2026-12-24T12:00:00Z', exclude: ['2026-12-25'] });
    expect(nextOccurrence(ended, Date.parse('2026-12-24T10:00:00Z'), 0)).toBeUndefined();
  });

  it('means the days that the clocks of its zone show', () => {
    const input = { cron: '30 0 * * *', zone: 'Asia/Tokyo', exclude: ['2026-03-02'] };
    expect(walls(input, '2026-03-01T12:00:00Z', 1)).toEqual(['2026-03-03T00:30']);
    // Clocks of Santiago jump from midnight to one o'clock on the sixth: the time of the skipped hour is on that day.
    const gap = { cron: '30 0 * * *', zone: 'America/Santiago' };
    expect(walls({ ...gap, exclude: ['2026-09-06'] }, '2026-09-05T12:00:00Z', 1)).toEqual(['2026-09-07T00:30']);
    expect(walls({ ...gap, exclude: ['2026-09-05'] }, '2026-09-05T12:00:00Z', 1)).toEqual(['2026-09-06T01:30']);
  });

  it('comes on both showings of a day that the clocks show twice around another one', () => {
    // In 2006 the clocks of St John's went from one minute past midnight on the 29th back to 23:01 on the 28th.
    const twice = { cron: '*/30 * * * *', zone: 'America/St_Johns' };
    expect(walls({ ...twice, exclude: ['2006-10-29'] }, '2006-10-29T01:55:00Z', 3)).toEqual([
      '2006-10-28T23:30',
      '2006-10-28T23:30',
      '2006-10-30T00:00',
    ]);
  });

  it('spends the count of a repetition on excluded days too, as Quartz does', () => {
    const counted = { every: 'R4/2026-03-05T09:00:00Z/P1D', exclude: ['SAT', 'SUN'] };
    expect(walls(counted, '2026-03-01T00:00:00Z', 10)).toEqual(['2026-03-05T09:00', '2026-03-06T09:00']);
  });

  it('is passed quickly, however often it comes and however long nothing does', () => {
    const often = parseRecurrence({ cron: '* * * * * *', exclude: ['2026-01-02/2046-01-01'] });
    const begun = performance.now();
    expect(nextOccurrence(often, Date.parse('2026-01-01T23:59:59Z'), 0)?.at).toBe(Date.parse('2046-01-02T00:00:00Z'));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('ends if all of its times are excluded for forty years', () => {
    const never = parseRecurrence({ every: 'P1W', exclude: ['MON'] });
    const monday = Date.parse('2026-03-02T09:00:00Z');
    expect(nextOccurrence(never, monday, monday)).toBeUndefined();
    expect(nextOccurrence(never, monday, monday + DAY)?.at).toBe(monday + 8 * DAY);
    const longer = parseRecurrence({ cron: '0 0 * * *', exclude: ['2026-01-01/2066-01-01'] });
    expect(nextOccurrence(longer, Date.parse('2025-12-31T12:00:00Z'), 0)?.at).toBe(Date.parse('2066-01-02T00:00:00Z'));
    const tooLong = parseRecurrence({ cron: '0 0 * * *', exclude: ['2026-01-01/2068-01-01'] });
    expect(nextOccurrence(tooLong, Date.parse('2025-12-31T12:00:00Z'), 0)).toBeUndefined();
  });
});

describe('excluded days that cannot be', () => {
  it.each([
    ['2026-12-25', /^exclude: .*Give an array/],
    [[20_261_225], /^exclude\.0: .*Use a date \(2026-12-25\)/],
    [['12-25', 'Christmas'], /^exclude\.1: .*Christmas/],
    [['2026-02-29'], /^exclude\.0: /],
    [['02-30'], /^exclude\.0: /],
    [['2026-13-01'], /^exclude\.0: /],
    [['2026-1-1'], /^exclude\.0: /],
    [['2026-12-24/01-02'], /^exclude\.0: /],
    [['2026-12-24/'], /^exclude\.0: /],
    [['2026-12-24/2026-12-25/2026-12-26'], /^exclude\.0: /],
    [['2026-12-25/2026-12-24'], /^exclude\.0: .*ends before it begins/],
    [Array.from({ length: 367 }, () => '12-25'), /^exclude: .*367 entries.*at most 366/],
  ])('%j are refused with the entry and the fix', (exclude, message) => {
    expect(() => define({ cron: '0 9 * * *', exclude: exclude as never })).toThrow(message);
    expect(() => parseRecurrence({ cron: '0 9 * * *', exclude: exclude as never })).toThrow(message);
  });

  it.each<RecurrenceInput>([
    { cron: '0 9 * * *', exclude: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
    { cron: '0 9 * * MON', exclude: ['MON'] },
    { cron: '0 9 25 12 *', exclude: ['12-25'] },
    { cron: '0 9 * * *', exclude: ['01-01/12-31'] },
    { every: 'PT1S', exclude: ['01-01/12-31'] },
    { every: 'R/2026-03-02T09:00:00Z/P1W', exclude: ['MON'] },
    { every: 'P1W', from: '2026-03-02T09:00:00Z', exclude: ['MON'] },
    { every: 'R1/2026-12-25T09:00:00Z/P1D', exclude: ['2026-12-25'] },
    { cron: '0 9 * * *', from: '2026-12-25T00:00:00Z', until: '2026-12-26T00:00:00Z', exclude: ['2026-12-25'] },
  ])('%j leave no occurrence, and are refused', (input) => {
    expect(() => define(input)).toThrow(/^exclude: .*No occurrence is left\. Exclude fewer days\./);
    const definition = { ...define({ cron: '0 9 * * *' }), recurrence: input };
    expect(() => checkScheduleDefinition(definition)).toThrow(/^exclude: /);
  });

  it.each<RecurrenceInput>([
    { cron: '0 9 29 2 *', exclude: ['2028-02-29'] },
    { cron: '0 9 * * *', exclude: ['01-01/02-28', '03-01/12-31'] },
    { cron: '0 9 * * *', exclude: ['2000-01-01/2090-01-01'] },
    { every: 'P1W', exclude: ['SAT'] },
    { cron: '0 9 * * *', from: '2026-12-26T00:00:00Z', until: '2026-12-26T01:00:00Z', exclude: ['2026-12-25'] },
    { cron: '0 9 * * *', exclude: Array.from({ length: 366 }, () => '2026-12-24/2027-01-02') },
  ])('of which some are left in some year are accepted (%#)', (input) => {
    expect(define(input).recurrence.exclude).toEqual(input.exclude);
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const CRONS = ['0 9 * * *', '*/20 * * * *', '30 0 * * *', '15 2 * * *', '0 0 1 * *', '0 12 * * MON-FRI', '59 23 * * *'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** The reference: each time of the recurrence without exclusions, held against the day that the runtime names for it. */
function naive(open: Recurrence, exclude: readonly string[], { from, through }: { from: number; through: number }): readonly number[] {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: open.zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    weekday: 'short',
  });
  const days = new Set<string>();
  for (const entry of exclude) {
    const [first = '', last = first] = entry.split('/');
    if (WEEKDAYS.includes(first)) days.add(first);
    else if (first.length === 5) {
      for (let at = Date.parse(`2000-${first}`); ; at += DAY) {
        days.add(new Date(at).toISOString().slice(5, 10));
        if (new Date(at).toISOString().slice(5, 10) === last) break;
      }
    } else for (let at = Date.parse(first); at <= Date.parse(last); at += DAY) days.add(new Date(at).toISOString().slice(0, 10));
  }
  const found: number[] = [];
  for (let one = nextOccurrence(open, from, from); one && one.at <= through; one = nextOccurrence(open, one.at, from)) {
    const parts = Object.fromEntries(format.formatToParts(one.at).map(({ type, value }) => [type, value]));
    const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
    const names = [date, date.slice(5), String(parts['weekday']).toUpperCase()];
    if (!names.some((name) => days.has(name))) found.push(one.at);
  }
  return found;
}

describe('the occurrences that are left', () => {
  it('are those of the recurrence that are on no excluded day, one after the other', () => {
    const seed = TEST_SEED;
    const entropy = seededEntropy(seed);
    const chance = (): number => entropy.random();
    const pick = <One>(some: readonly One[]): One => some[Math.floor(chance() * some.length)] as One;
    const date = (): string => new Date(Date.UTC(2010, 11) + Math.floor(chance() * 400) * DAY).toISOString().slice(0, 10);
    const entry = (): string =>
      pick([
        date,
        () => date().slice(5),
        () => pick(WEEKDAYS.slice(0, 5)),
        () => [date(), date()].toSorted().join('/'),
        () => `${date().slice(5)}/${date().slice(5)}`,
      ])();
    for (let round = 0; round < 60; round++) {
      const zone = pick(ZONES);
      const times = chance() < 0.7 ? { cron: pick(CRONS) } : { every: pick(['PT7H', 'P1D', 'P2D', 'P1M', 'PT90M']) };
      const dst = {
        gap: pick(['shift', 'skip'] as const),
        ...('cron' in times ? { overlap: pick(['first', 'second', 'both'] as const) } : {}),
      };
      const exclude = Array.from({ length: 1 + Math.floor(chance() * 4) }, entry);
      const from = Date.UTC(2010, 11) + Math.floor(chance() * 300) * DAY + Math.floor(chance() * DAY);
      const through = from + 60 * DAY;
      const recurrence = parseRecurrence({ ...times, zone, dst, exclude });
      const found: number[] = [];
      for (let one = nextOccurrence(recurrence, from, from); one && one.at <= through; one = nextOccurrence(recurrence, one.at, from)) {
        found.push(one.at);
      }
      const label = JSON.stringify({ seed, ...times, zone, dst, exclude, from });
      expect(found, label).toEqual(naive(parseRecurrence({ ...times, zone, dst }), exclude, { from, through }));
    }
  });
});
