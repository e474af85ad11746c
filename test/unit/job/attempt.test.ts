import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_BYTES, logText } from '../../../shared/job/attempt.ts';
import { keepsAttempts, HISTORY_LEVELS } from '../../../shared/job/history-level.ts';
import { utf8Bytes } from '../../../shared/job/size-limits.ts';

describe('the text of a log', () => {
  it('is JSON of bounded size whatever was logged, and accounts for every line', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            message: fc.string({ unit: 'binary', maxLength: 400 }),
            fields: fc.dictionary(fc.string(), fc.anything({ maxDepth: 1 }), { maxKeys: 2 }),
          }),
          {
            maxLength: 120,
          },
        ),
        fc.nat({ max: 5 }),
        (lines, dropped) => {
          const text = logText(
            lines.map((line) => ({ at: 1, level: 'info' as const, ...line })),
            dropped,
          );
          expect(utf8Bytes(text)).toBeLessThanOrEqual(LOG_BYTES);
          const kept = JSON.parse(text) as { missing?: number }[];
          const missing = kept.at(-1)?.missing;
          expect(kept.length - (missing === undefined ? 0 : 1) + (missing ?? 0)).toBe(lines.length + dropped);
        },
      ),
    );
  });

  it('shows each line with its time, level, message and fields, and how many there was no room for before', () => {
    expect(JSON.parse(logText([{ at: 1_000, level: 'debug', message: 'sent', fields: { invoices: 2 } }], 3))).toEqual([
      { at: '1970-01-01T00:00:01.000Z', level: 'debug', message: 'sent', fields: { invoices: 2 } },
      { missing: 3 },
    ]);
    expect(logText([])).toBe('[]');
  });

  it('keeps the first lines, as many as there is room for, and of each message two kilobytes', () => {
    const text = logText(Array.from({ length: 40 }, (_, at) => ({ at, level: 'info' as const, message: 'x'.repeat(9_000) })));
    const lines = JSON.parse(text) as { at?: string; message?: string; missing?: number }[];
    const kept = lines.slice(0, -1);
    expect(kept.map(({ at }) => Date.parse(at ?? ''))).toEqual(kept.map((_, index) => index));
    expect(new Set(kept.map(({ message }) => message))).toEqual(new Set(['x'.repeat(2_048)]));
    expect(lines.at(-1)).toEqual({ missing: 40 - kept.length });
    // No room for one more.
    expect(utf8Bytes(text)).toBeGreaterThan(LOG_BYTES - 2_300);
  });

  it('fits also where there are many short lines', () => {
    const line = { at: 0, level: 'info' as const, message: '' };
    const text = logText(Array.from({ length: 600 }, () => line));
    expect(utf8Bytes(text)).toBeLessThanOrEqual(LOG_BYTES);
    expect(utf8Bytes(text)).toBeGreaterThan(LOG_BYTES - 200);
  });

  it('keeps fields while their line has at most four kilobytes', () => {
    const room = 4_096 - utf8Bytes(logText([{ at: 0, level: 'info', message: '', fields: { text: '' } }])) + '[]'.length;
    const fieldsOf = (length: number): unknown =>
      (JSON.parse(logText([{ at: 0, level: 'info', message: '', fields: { text: 'x'.repeat(length) } }])) as { fields?: unknown }[])[0]
        ?.fields;
    expect(fieldsOf(room)).toEqual({ text: 'x'.repeat(room) });
    expect(fieldsOf(room + 1)).toBeUndefined();
  });

  it('keeps a line whose fields JSON cannot hold, or that is no text', () => {
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    const lines = JSON.parse(
      logText([
        { at: 0, level: 'warn', message: 'round', fields: circle },
        { at: 0, level: 'info', message: { not: 'text' } as never },
        { at: 0, level: 'info', message: 'big', fields: { text: 'x'.repeat(10_000) } },
      ]),
    ) as unknown;
    expect(lines).toEqual([
      { at: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'round' },
      { at: '1970-01-01T00:00:00.000Z', level: 'info', message: 'an object' },
      { at: '1970-01-01T00:00:00.000Z', level: 'info', message: 'big' },
    ]);
  });
});

describe('a level of history', () => {
  it('keeps attempts from attempts on', () => {
    expect(HISTORY_LEVELS.filter(keepsAttempts)).toEqual(['attempts', 'full', 'durable']);
  });
});
