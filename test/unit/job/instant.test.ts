import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { dueTime, type Instant, instantMs, iso, storedInstant } from '../../../shared/job/instant.ts';
import { NOON } from './sample-job.ts';

const CENTURY = 100 * 365.25 * 86_400_000;

describe('an instant', () => {
  test.each([
    ['2026-01-01T12:00:00Z', NOON],
    ['2026-01-01T12:00Z', NOON],
    ['2026-01-01T14:00:00+02:00', NOON],
    ['2026-01-01T12:00:00.250Z', NOON + 250],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2026-01-01T23:30:00-05:00', Date.UTC(2026, 0, 2, 4, 30)],
  ])('%s is read', (text, ms) => expect(instantMs(text, 'runAt')).toBe(ms));

  test('is read from a Date and from epoch milliseconds', () => {
    expect(instantMs(new Date(NOON), 'runAt')).toBe(NOON);
    expect(instantMs(NOON + 0.9, 'runAt')).toBe(NOON);
  });

  test.each([
    '',
    'now',
    'tomorrow',
    '2026-01-01',
    '2026-01-01T12:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01 12:00:00Z',
    '2026-1-1T00:00:00Z',
    '1735732800',
    ' 2026-01-01T12:00:00Z',
    '2026-01-01T12:00:00Z\n',
    '2026-01-01T12:00:00+99:00',
    '+012026-01-01T12:00:00Z',
  ])('is refused as %j', (text) => expect(() => instantMs(text, 'runAt')).toThrow(/^runAt: .*2026-01-01T00:00:00Z/));

  test.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(Number.NaN),
    null,
    true,
    {},
    [],
    5n,
    Symbol('x'),
    Object.create(Date.prototype),
  ])('is refused as another kind of value (%#)', (value) => {
    expect(() => instantMs(value as unknown as Instant, 'runAt')).toThrow(InvalidInputError);
  });

  test('is stored as text that sorts as time does', () => {
    const times = fc.integer({ min: 0, max: NOON + CENTURY });
    fc.assert(fc.property(times, times, (a, b) => iso(a) < iso(b) === a < b));
    expect(iso(NOON)).toBe('2026-01-01T12:00:00.000Z');
  });
});

describe('a due time', () => {
  test('is now when nothing is asked for', () => expect(dueTime({}, NOON)).toBe(NOON));
  test('in the past means now', () => {
    expect(dueTime({ runAt: 0 }, NOON)).toBe(NOON);
    expect(dueTime({ runAt: '1970-01-01T00:00:00Z' }, NOON)).toBe(NOON);
    expect(dueTime({ runAt: -8e15 }, NOON)).toBe(NOON);
  });
  test('is counted from now when a delay is given', () => expect(dueTime({ delay: 'PT1H' }, NOON)).toBe(NOON + 3_600_000));
  test('may lie just under 100 years ahead', () => expect(dueTime({ runAt: NOON + CENTURY }, NOON)).toBe(NOON + CENTURY));
  test.each([{ runAt: NOON + CENTURY + 1 }, { runAt: '2999-01-01T00:00:00Z' }, { delay: 'P99999D' }, { delay: CENTURY + 1 }])(
    'more than 100 years ahead is refused (%#)',
    (when) => {
      expect(() => dueTime(when, NOON)).toThrow(/100 years/);
    },
  );
  test('is refused when both a delay and a time are given', () =>
    expect(() => dueTime({ runAt: NOON, delay: 5 }, NOON)).toThrow(/^delay: .*not both/));
  test('names the option that was wrong', () => {
    expect(() => dueTime({ runAt: Number.NaN }, NOON)).toThrow(/^runAt: NaN/);
    expect(() => dueTime({ delay: Number.NaN }, NOON)).toThrow(/^delay: NaN/);
  });
});

describe('an instant of a row', () => {
  test.each([0, 1, NOON, NOON + 999, Date.UTC(9998, 11, 31), Date.parse('0000-01-01T00:00:00.000Z')])(
    'is read as %d, as it was written',
    (ms) => expect(storedInstant(iso(ms))).toBe(ms),
  );
  test.each([
    undefined,
    NOON,
    true,
    new Date(NOON),
    '',
    'never',
    '2026',
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000+00:00',
    '2026-02-30T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z ',
    '-000001-12-31T23:59:59.999Z',
    '9999-01-01T00:00:00.000Z',
    '+010000-01-01T00:00:00.000Z',
  ])('is none when it is %j', (value) => expect(storedInstant(value)).toBeUndefined());
});

test('a due time beyond a century is refused under the name of what was given', () => {
  expect(() => dueTime({ runAt: '2200-01-01T00:00:00Z' }, NOON)).toThrow(/^runAt: "2200-01-01T00:00:00Z" /);
  expect(() => dueTime({ runAt: NOON + CENTURY + 1 }, NOON)).toThrow(/^runAt: /);
  expect(() => dueTime({ delay: CENTURY + 1 }, NOON)).toThrow(/^delay: /);
  expect(dueTime({ delay: CENTURY }, NOON)).toBe(NOON + CENTURY);
});

describe('epoch seconds', () => {
  const told = /^runAt: .*looks like epoch seconds/;

  test.each([1e8, 1_735_732_800, 1e11 - 1, new Date(1_735_732_800)])('are refused where milliseconds are meant: %s', (instant) =>
    expect(() => instantMs(instant, 'runAt')).toThrow(told),
  );
  test.each([0, -5, 1e8 - 1, 1e11, NOON])('are not suspected in %s', (instant) => expect(instantMs(instant, 'runAt')).toBe(instant));
  test('are not suspected in a text', () => expect(instantMs('1972-01-01T00:00:00Z', 'runAt')).toBe(Date.UTC(1972, 0)));
});
