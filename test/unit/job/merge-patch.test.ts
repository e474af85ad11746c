import { describe, expect, it, test } from 'vitest';
import { checkPatch, mergePatch, patchedText } from '../../../shared/job/merge-patch.ts';

describe('a merge patch', () => {
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('makes of %s with %s what appendix A of RFC 7396 says', (target, patch, result) => {
    const before = JSON.parse(target) as unknown;
    expect(JSON.stringify(mergePatch(before, JSON.parse(patch)))).toBe(result);
    expect(JSON.stringify(before)).toBe(target);
  });

  it('is a copy without what JSON leaves out', () => {
    const given = { a: { b: 1 }, gone: undefined };
    expect(checkPatch(given)).toEqual({ a: { b: 1 } });
    expect(checkPatch(given)['a']).not.toBe(given.a);
  });

  test.each([
    [[1], /^patch: an array is not valid\. Give an object/],
    ['text', /^patch: a string is not valid\. Give an object/],
    [null, /^patch: null is not valid\. Give an object/],
    [undefined, /^patch: undefined is not valid\. Give a value that JSON can hold/],
    [{}, /^patch: \{\} is not valid\. Name a field/],
    [{ gone: undefined }, /^patch: \{\} is not valid\. Name a field/],
    [{ a: Number.NaN }, /^patch\.a: NaN is not valid/],
    [JSON.parse('{"a":{"__proto__":1}}'), /^patch\.a: "__proto__" is not valid/],
    [{ a: 'x'.repeat(9_000) }, /^patch: a patch of 9008 bytes is not valid\. Use at most 8192 bytes/],
  ])('that is %j is refused', (given, message) => {
    expect(() => checkPatch(given)).toThrow(message);
  });
});

describe('a payload that is patched', () => {
  it('keeps numbers that a double cannot represent, digit by digit, unless they are replaced', () => {
    const stored = '{"big":12345678901234567890,"exact":1.10,"list":[0.30000000000000004440,1],"n":1}';
    expect(patchedText(stored, { n: 2 })).toBe('{"big":12345678901234567890,"exact":1.10,"list":[0.30000000000000004440,1],"n":2}');
    expect(patchedText(stored, { big: { deep: true }, list: null })).toBe('{"big":{"deep":true},"exact":1.10,"n":1}');
  });

  it.each(['"text"', '[1]', '1', 'null', '12345678901234567890'])('must be an object, not %s', (payload) => {
    expect(patchedText(payload, { a: 1 })).toBeUndefined();
  });

  it('must be JSON, and stay within what a payload may be', () => {
    expect(() => patchedText('{', { a: 1 })).toThrow('The stored payload is not JSON');
    expect(() => patchedText(JSON.stringify({ text: 'x'.repeat(262_000) }), { more: 'y'.repeat(200) })).toThrow(
      /^payload: 262221 bytes of JSON are more than the limit of 262144/,
    );
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 9_999 }, (_, index) => [`k${index}`, 1])));
    expect(() => patchedText(wide, { more: 1, most: 2 })).toThrow('10001 keys');
  });
});
