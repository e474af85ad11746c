import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { DAY_OF_WEEK, type FieldRules, parseField } from '../../../../shared/features/schedules/model/cron-field.ts';

const MINUTE: FieldRules = { field: 'cron', name: 'minute', range: [0, 59], names: [] };
const DAY: FieldRules = { field: 'cron', name: 'day of month', range: [1, 31], names: [], last: true };
const MONTH: FieldRules = { field: 'cron', name: 'month', range: [1, 12], names: ['JAN', 'FEB', 'MAR'] };
const WEEKDAY: FieldRules = { field: 'cron', name: 'day of week', range: [0, 7], names: DAY_OF_WEEK, nth: true };
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

describe('a field', () => {
  test.each<[string, FieldRules, readonly number[]]>([
    ['7', MINUTE, [7]],
    ['30,5,10', MINUTE, [5, 10, 30]],
    ['5,5,4-6', MINUTE, [4, 5, 6]],
    ['0-0', MINUTE, [0]],
    ['*/15', MINUTE, [0, 15, 30, 45]],
    ['?/30', MINUTE, [0, 30]],
    ['50/4', MINUTE, [50, 54, 58]],
    ['10-20/5', MINUTE, [10, 15, 20]],
    ['*/10', DAY, [1, 11, 21, 31]],
    ['FEB-MAR,1', MONTH, [1, 2, 3]],
    ['*', WEEKDAY, EVERY_DAY],
    ['*/7', WEEKDAY, [0]],
    ['0-7', WEEKDAY, EVERY_DAY],
    ['MON-SUN', WEEKDAY, EVERY_DAY],
    ['FRI-SUN', WEEKDAY, [0, 5, 6]],
    ['SUN-SUN', WEEKDAY, [0]],
    ['5/2', WEEKDAY, [0, 5]],
  ])('written as %s matches what it says, each number once and in order', (text, rules, values) =>
    expect(parseField(text, rules).values).toEqual(values),
  );

  test.each(['*', '?'])('of %s alone restricts nothing', (text) => expect(parseField(text, MINUTE).any).toBe(true));
  test.each(['*/1', '0-59', '*,5'])('of %s restricts, whatever it comes to', (text) => expect(parseField(text, MINUTE).any).toBe(false));

  test('takes L and the days of a certain week where its rules do, beside plain values', () => {
    expect(parseField('L,15', DAY)).toEqual({ any: false, values: [15], last: true, nth: [] });
    expect(parseField('MON#2,7L,3', WEEKDAY)).toEqual({
      any: false,
      values: [3],
      last: false,
      nth: [
        { day: 1, nth: 2 },
        { day: 0, nth: 'last' },
      ],
    });
  });

  test.each<[string, FieldRules]>([
    ['', MINUTE],
    ['60', MINUTE],
    ['005', MINUTE],
    ['5!', MINUTE],
    ['!5', MINUTE],
    ['*-5', MINUTE],
    ['?-5', MINUTE],
    ['5-0', MINUTE],
    ['*/0', MINUTE],
    ['1/10000', MINUTE],
    ['1,', MINUTE],
    ['L', MINUTE],
    ['2#1', MINUTE],
    ['2L', MINUTE],
    ['0', DAY],
    ['MON', DAY],
    ['8', WEEKDAY],
    ['MON#6', WEEKDAY],
    ['MON#', WEEKDAY],
    ['L', WEEKDAY],
    ['!MON#1', WEEKDAY],
    ['MON#1x', WEEKDAY],
  ])('that says %j is refused in %o', (text, rules) => expect(() => parseField(text, rules)).toThrow(InvalidInputError));

  test('that is refused is told what it may hold, with its names if it has any', () => {
    expect(() => parseField('60', MINUTE)).toThrow('In minute use 0 to 59, with , - and /, not "60".');
    expect(() => parseField('1,5!', MINUTE)).toThrow('not "5!".');
    expect(() => parseField('1,DEC', MONTH)).toThrow('In month use 1 to 12, or JAN to MAR, with , - and /, not "DEC".');
  });
});
