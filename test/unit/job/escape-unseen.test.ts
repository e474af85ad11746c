import { describe, expect, it } from 'vitest';
import { escapeUnseen } from '../../../shared/job/escape-unseen.ts';

describe('what a reader does not see', () => {
  it.each([
    ['a\u0000b', 'a\\u0000b'],
    ['\u001b[31m', '\\u001b[31m'],
    ['\u00adsoft', '\\u00adsoft'],
    ['\u202eright to left', '\\u202eright to left'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\u3164', '\\u3164'],
    ['x\u200dy', 'x\\u200dy'],
    ['x\ufe0f', 'x\\ufe0f'],
  ])('is written out (%#)', (text, written) => expect(escapeUnseen(text)).toBe(written));

  it.each(['plain text, ümlaut, 漢字', '❤️', '👨‍👩‍👧', '👍🏽‍', '🏳️‍🌈'])('leaves alone what is seen: %s', (text) =>
    expect(escapeUnseen(text)).toBe(text),
  );

  it('keeps the characters that it was told to keep', () => expect(escapeUnseen('a\n\tb\u0007', '\n\t')).toBe('a\n\tb\\u0007'));
});
