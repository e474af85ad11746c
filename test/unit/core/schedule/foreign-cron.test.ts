import { describe, expect, test } from 'vitest';
import { parseCron } from '../../../../shared/features/schedules/model/cron.ts';
import { type CronDialect, cronFrom } from '../../../../shared/features/schedules/model/foreign-cron.ts';

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
