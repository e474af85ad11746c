import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../cli/exit.ts';
import { instantOf } from '../../../cli/text/instants.ts';
import { jsonText, plain, plainLines } from '../../../cli/text/plain.ts';
import { painter } from '../../../cli/text/style.ts';
import { tableLines, widthOf } from '../../../cli/text/table.ts';
import { agoText, coarseAgo, lengthText, wallText } from '../../../cli/text/time.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

describe('a text of a user on a terminal', () => {
  test.each([
    ['\u001b[2J', '\\u001b[2J'],
    ['\u009b31m', '\\u009b31m'],
    ['a\r\nb', 'a\\u000d\\u000ab'],
    ['\u202egnp.exe', '\\u202egnp.exe'],
    ['tab\tstop', 'tab\\u0009stop'],
    ['\u2028', '\\u2028'],
    ['\u061c1', '\\u061c1'],
    ['grüße 日本 👍', 'grüße 日本 👍'],
    ['acme\u200b', 'acme\\u200b'],
    ['acme\u{e0041}', 'acme\\udb40\\udc41'],
    ['ac\u00adme\u2060', 'ac\\u00adme\\u2060'],
    ['acme\u200d\ufe0f', 'acme\\u200d\\ufe0f'],
    ['\ud800', '\\ud800'],
    ['❤️ 👩‍💻 👍🏽', '❤️ 👩‍💻 👍🏽'],
  ])('steers nothing: %j', (text, shown) => expect(plain(text)).toBe(shown));

  test('keeps its lines where there are several', () => expect(plainLines('a\r\nb\u001b')).toBe('a\nb\\u001b'));

  test('is escaped in JSON, which stays the same JSON', () => {
    const value = { text: '\u001b\u009b\u202e\u0007é' };
    const text = jsonText(value);
    expect(text).toBe('{"text":"\\u001b\\u009b\\u202e\\u0007é"}');
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('a table', () => {
  const columns = [{ head: 'ID' }, { head: 'ERROR', gives: true as const }, { head: 'N', right: true as const }];
  const plainPaint = painter(false);

  test('lines its columns up, numbers to the right', () => {
    const lines = tableLines(
      {
        columns,
        rows: [
          ['a', 'short', '7'],
          ['bcd', 'longer one', '1,234'],
        ],
      },
      { paint: plainPaint },
    );
    expect(lines).toEqual(['ID   ERROR           N', 'a    short           7', 'bcd  longer one  1,234']);
  });

  test('is cut to the width of the terminal in the columns that give, and never in an id', () => {
    const lines = tableLines({ columns, rows: [['0123456789', 'x'.repeat(80), '1']] }, { paint: plainPaint, width: 40 });
    expect(lines.every((line) => widthOf(line) <= 40)).toBe(true);
    expect(lines[1]).toContain('0123456789');
    expect(lines[1]).toContain('…');
  });

  test('leaves out whole columns, the least important first, where giving is not enough', () => {
    const wide = [
      { head: 'ID' },
      { head: 'TRIES', drops: 2 },
      { head: 'STATE', drops: 1 },
      { head: 'WHY', gives: true as const, least: 12 },
    ];
    const rows = [['0123456789', '17', 'suspended', 'because of what it is']];
    const at = (width: number): readonly string[] => tableLines({ columns: wide, rows }, { paint: plainPaint, width });
    expect(at(60)[0]).toBe('ID          TRIES  STATE      WHY');
    expect(at(40)).toEqual(['ID          STATE      WHY', '0123456789  suspended  because of what …']);
    expect(at(26)).toEqual(['ID          WHY', '0123456789  because of wh…']);
  });

  test('is not cut where no width is given', () => {
    expect(tableLines({ columns, rows: [['a', 'x'.repeat(500), '1']] }, { paint: plainPaint })[1]).toContain('x'.repeat(500));
  });

  test('knows characters that are two columns wide', () => {
    expect([widthOf('日本'), widthOf('👍🏽'), widthOf('é'), widthOf('e\u0301')]).toEqual([4, 2, 1, 1]);
  });

  test('may have more rows than a call takes arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [String(index), 'e', '1']);
    expect(tableLines({ columns, rows }, { paint: plainPaint })).toHaveLength(200_001);
  });

  test('neutralises its cells', () => {
    expect(tableLines({ columns, rows: [['\u001b[1m', 'b', 'c']] }, { paint: plainPaint })[1]).toContain('\\u001b[1m');
  });
});

describe('times', () => {
  test.each([
    [350, '350ms'],
    [41_000, '41s'],
    [60_000, '1m'],
    [2 * HOUR + 5 * 60_000 + 7_000, '2h 5m'],
    [50 * HOUR, '2d 2h'],
  ])('%d ms are %s', (ms, text) => expect(lengthText(ms)).toBe(text));

  test('are told as ages', () => {
    expect([agoText(NOW - 90_000, NOW), agoText(NOW + HOUR, NOW), agoText(NOW, NOW)]).toEqual(['1m 30s ago', 'in 1h', 'now']);
  });

  test('are told in one unit in lists', () =>
    expect([coarseAgo(NOW - 90_000, NOW), coarseAgo(NOW + 25 * HOUR, NOW), coarseAgo(NOW, NOW)]).toEqual(['1m ago', 'in 1d', 'now']));

  test('are told by the clock of a zone', () => {
    expect(wallText(Date.UTC(2026, 6, 1, 22, 30), 'Europe/Berlin')).toBe('2026-07-02 00:30:00');
  });

  test.each([
    ['2h', 'ago', NOW - 2 * HOUR],
    ['2h', 'ahead', NOW + 2 * HOUR],
    ['+2h', 'ago', NOW + 2 * HOUR],
    ['-2h', 'ahead', NOW - 2 * HOUR],
    ['PT30M', 'ago', NOW - HOUR / 2],
    ['now', 'ago', NOW],
    ['2026-01-01', 'ago', Date.UTC(2026, 0, 1)],
    ['2026-01-01T08:00:00+01:00', 'ago', Date.UTC(2026, 0, 1, 7)],
  ] as const)('%s, bare lengths %s, is understood', (text, bare, at) => expect(instantOf('--from', text, { now: NOW, bare })).toBe(at));

  test.each(['yesterday', '2026-02-30', '2h30', '12:00', '', 'P1M', '0001-01-01T00:00:00Z'])(
    '%j is refused with the flag and the forms there are',
    (text) => {
      expect(() => instantOf('--from', text, { now: NOW, bare: 'ago' })).toThrow(UsageError);
      expect(() => instantOf('--from', text, { now: NOW, bare: 'ago' })).toThrow(/--from .* is not a valid time\. Use one such as 2h/);
    },
  );
});
