import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { checkZone, offsetAt, transitionsBetween } from '../../../../shared/features/schedules/model/zone.ts';

const HOUR_MS = 3_600_000;
const SUMMER = Date.parse('2026-03-29T01:00:00Z');
const WINTER = Date.parse('2026-10-25T01:00:00Z');
const instants = (zone: string, from: string, through: string): readonly string[] =>
  transitionsBetween(zone, Date.parse(from), Date.parse(through)).map(({ at }) => new Date(at).toISOString());

describe('the name of a zone', () => {
  test.each(['Europe/Berlin', 'Etc/GMT+1', 'America/Argentina/ComodRivadavia', 'America/Port-au-Prince', 'UTC'])(
    '%s is given back',
    (name) => expect(checkZone(name)).toBe(name),
  );

  test.each([undefined, 1, '', '+01:00', ' Europe/Berlin', 'Europe/Berlin ', 'Europe/Atlantis', `Europe/${'x'.repeat(80)}`])(
    '%j is refused, and the field is named',
    (name) => {
      expect(() => checkZone(name)).toThrow(InvalidInputError);
      expect(() => checkZone(name)).toThrow(/^zone: .*IANA/);
      expect(() => checkZone(name, 'schedule.zone')).toThrow(/^schedule\.zone: /);
    },
  );

  test('that only the caller of an offset names wrongly is refused as well', () =>
    expect(() => offsetAt('Europe/Atlantis', SUMMER)).toThrow(/^zone: "Europe\/Atlantis".*IANA/));
});

describe('the offset of a zone', () => {
  test('changes with the millisecond of the change', () =>
    expect([SUMMER - 1, SUMMER, WINTER - 1, WINTER].map((at) => offsetAt('Europe/Berlin', at) / HOUR_MS)).toEqual([1, 2, 2, 1]));

  test('holds at the beginning of a year what it was at the end of the last one', () =>
    expect([0, 1].map((ms) => offsetAt('Australia/Sydney', Date.UTC(2026, 0) + ms) / HOUR_MS)).toEqual([11, 11]));

  test('is known to the second', () => {
    const change = Date.parse('1972-01-07T00:44:30Z');
    expect([change - 1, change].map((at) => offsetAt('Africa/Monrovia', at))).toEqual([-(44 * 60 + 30) * 1000, 0]);
  });

  test('of UTC is none', () => expect(offsetAt('UTC', SUMMER)).toBe(0));
});

describe('the changes of a zone', () => {
  test('say what the offset was and what it is', () =>
    expect(transitionsBetween('Europe/Berlin', Date.UTC(2026, 0), Date.UTC(2027, 0))).toEqual([
      { at: SUMMER, before: HOUR_MS, after: 2 * HOUR_MS },
      { at: WINTER, before: 2 * HOUR_MS, after: HOUR_MS },
    ]));

  test('are those after the first instant, through the last', () => {
    expect(transitionsBetween('Europe/Berlin', SUMMER - 1, SUMMER)).toHaveLength(1);
    expect(transitionsBetween('Europe/Berlin', SUMMER, WINTER - 1)).toEqual([]);
  });

  test('on the first and on the last day of a year are found, each once', () => {
    expect(instants('Africa/Sao_Tome', '2017-01-01T00:00:00Z', '2018-12-31T00:00:00Z')).toEqual(['2018-01-01T01:00:00.000Z']);
    expect(instants('Pacific/Kiritimati', '1993-01-01T00:00:00Z', '1996-01-01T00:00:00Z')).toEqual(['1994-12-31T10:00:00.000Z']);
  });

  test('are none in UTC', () => expect(transitionsBetween('UTC', 0, SUMMER)).toEqual([]));
});
