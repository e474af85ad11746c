import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCron } from '../../../../shared/features/schedules/model/cron.ts';
import { type CronDialect, cronFrom } from '../../../../shared/features/schedules/model/foreign-cron.ts';
import { parseRecurrence, preview } from '../../../../shared/features/schedules/model/recurrence.ts';

describe('a cron expression of another system', () => {
  test.each<[CronDialect, string, string]>([
    ['quartz', '0 0 12 ? * 2', '0 0 12 ? * MON'],
    ['quartz', '0 0 12 ? * 1', '0 0 12 ? * SUN'],
    ['quartz', '0 0 12 ? * 2-6', '0 0 12 ? * MON,TUE,WED,THU,FRI'],
    ['quartz', '0 0 12 ? * 6-2', '0 0 12 ? * FRI,SAT,SUN,MON'],
    ['quartz', '0 0 12 ? * 2/2', '0 0 12 ? * MON,WED,FRI'],
    ['quartz', '0 0 12 ? * */3', '0 0 12 ? * SUN,WED,SAT'],
    ['quartz', '0 0 12 ? * 2-6/2', '0 0 12 ? * MON,WED,FRI'],
    ['quartz', '0 0 12 ? * 6L', '0 0 12 ? * FRIL'],
    ['quartz', '0 0 12 ? * 2#1', '0 0 12 ? * MON#1'],
    ['quartz', '0 0 12 ? * L', '0 0 12 ? * SAT'],
    ['quartz', '0 0 12 ? * mon-wed,7', '0 0 12 ? * MON,TUE,WED,SAT'],
    ['quartz', '0 0/5 14 * * ? *', '0 0/5 14 * * ?'],
    ['eventbridge', 'cron(0 12 ? * 2-6 *)', '0 12 ? * MON,TUE,WED,THU,FRI'],
    ['eventbridge', ' 0 12 * * ? * ', '0 12 * * ?'],
  ])('of %s, %s, becomes %s, which means the same here', (dialect, theirs, ours) => {
    expect(cronFrom(dialect, theirs)).toBe(ours);
    expect(() => parseCron(ours)).not.toThrow();
  });

  test.each<[string, string, RegExp]>([
    ['quartz', '0 0 12 * * ? 2026', /^cron: .*\* as the year/],
    ['quartz', '0 12 * * *', /^cron: .*6 fields/],
    ['quartz', '0 0 12 LW * ?', /^cron: .*nearest weekday \(W\).*as in LW\./],
    ['quartz', '0 0 12 15W * ?', /^cron: .*nearest weekday \(W\).*as in 15W\./],
    ['quartz', '0 0 12 1,L-3 * ?', /^cron: .*before the last \(L-3\).*as in L-3\./],
    ['eventbridge', 'cron(0 12 LW * ? *)', /^cron: .*nearest weekday \(W\)/],
    ['quartz', '0 0 12 ? * 8', /^cron: .*1 \(Sunday\) to 7/],
    ['quartz', '0 0 12 ? * 0', /^cron: .*1 \(Sunday\) to 7/],
    ['quartz', '0 0 12 ? * 2-', /^cron: .*1 \(Sunday\) to 7/],
    ['eventbridge', 'cron(0 12 * * ?)', /^cron: .*\* as the year/],
    ['eventbridge', 'rate(5 minutes)', /^cron: .*6 fields/],
    ['spring', '0 0 12 * * 1', /^dialect: .*quartz or eventbridge/],
  ])('of %s that cannot be converted is refused: %s', (dialect, theirs, message) => {
    expect(() => cronFrom(dialect as CronDialect, theirs)).toThrow(message);
  });

  test.each([
    ['0 12 * * ? *', /EventBridge.*no year.*cronFrom/],
    ['0 12 ? * MON-FRI *', /EventBridge.*no year.*cronFrom/],
    ['0 12 1 * ? 2026', /EventBridge.*no year.*cronFrom/],
    ['0 12 1 * 2 2026-2030', /EventBridge.*no year.*cronFrom/],
    ['cron(0 12 * * ? *)', /EventBridge.*no year.*cronFrom/],
    ['rate(5 minutes)', /EventBridge.*every, such as PT5M/],
    ['at(2026-01-01T00:00:00)', /EventBridge.*runAt/],
  ])('is refused where one of ours is expected, with the way out: %s', (theirs, message) => {
    expect(() => parseCron(theirs)).toThrow(message);
  });

  test.each(['0 ? * * *', '0 0 12 ? * MON', '0 0 12 1 * ?', '* * * ? * ?'])('is not suspected in %s', (ours) => {
    expect(() => parseCron(ours)).not.toThrow();
  });
});

/** What a list of days of the week means in Quartz, whose day 1 is Sunday: the definition, counted out. Days as JavaScript numbers them. */
interface QuartzDays {
  readonly text: string;
  readonly days: readonly number[];
}

const counted = (first: number, last: number, step: number): readonly number[] => {
  const days: number[] = [];
  for (let day = first; day <= (last < first ? last + 7 : last); day += step) days.push((day - 1) % 7);
  return days;
};
const quartzDay = fc.integer({ min: 1, max: 7 });
const step = fc.integer({ min: 1, max: 7 });
const quartzPart: fc.Arbitrary<QuartzDays> = fc.oneof(
  quartzDay.map((day) => ({ text: `${day}`, days: [day - 1] })),
  fc.tuple(quartzDay, quartzDay).map(([from, to]) => ({ text: `${from}-${to}`, days: counted(from, to, 1) })),
  fc.tuple(quartzDay, quartzDay, step).map(([from, to, by]) => ({ text: `${from}-${to}/${by}`, days: counted(from, to, by) })),
  fc.tuple(quartzDay, step).map(([from, by]) => ({ text: `${from}/${by}`, days: counted(from, 7, by) })),
  step.map((by) => ({ text: `*/${by}`, days: counted(1, 7, by) })),
);

test('a converted expression of Quartz comes on the days of the week that Quartz means', () => {
  fc.assert(
    fc.property(fc.array(quartzPart, { minLength: 1, maxLength: 3 }), (parts) => {
      const expected = new Set(parts.flatMap(({ days }) => days));
      const cron = cronFrom('quartz', `0 0 12 ? * ${parts.map(({ text }) => text).join(',')}`);
      const recurrence = parseRecurrence({ cron, zone: 'UTC' });
      // Two weeks from a Sunday.
      const found = preview(recurrence, Date.parse('2026-01-03T23:00:00Z'), 14).filter(
        ({ at }) => at.getTime() < Date.parse('2026-01-18T00:00:00Z'),
      );
      expect(new Set(found.map(({ at }) => at.getUTCDay()))).toEqual(expected);
      expect(found).toHaveLength(2 * expected.size);
    }),
  );
});

test.each([
  ['0 0 12 ? * 2#1', ['2026-01-05', '2026-02-02']],
  ['0 0 12 ? * 6L', ['2026-01-30', '2026-02-27']],
  ['0 0 12 ? * L', ['2026-01-03', '2026-01-10']],
  ['0 0 12 L * ?', ['2026-01-31', '2026-02-28']],
])('%s of Quartz comes first on %j', (theirs, days) => {
  const recurrence = parseRecurrence({ cron: cronFrom('quartz', theirs), zone: 'UTC' });
  const found = preview(recurrence, Date.parse('2026-01-01T00:00:00Z'), 2).map(({ at }) => at.toISOString().slice(0, 10));
  expect(found).toEqual(days);
});

test('the weekday nearest to a day, W in Quartz, is refused where the schedule is made', () => {
  expect(() => parseRecurrence({ cron: cronFrom('quartz', '0 0 12 15W * ?') })).toThrow(/15W/);
});
