import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_BYTES, logText } from '../../../shared/core/attempt.ts';
import { keepsAttempts, HISTORY_LEVELS } from '../../../shared/core/history-level.ts';
import { utf8Bytes } from '../../../shared/core/limits.ts';

describe('the text of a log', () => {
  it('is JSON of bounded size whatever was logged, and accounts for every line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ message: fc.string({ unit: 'binary', maxLength: 400 }), fields: fc.dictionary(fc.string(), fc.anything()) }), {
          maxLength: 300,
        }),
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
