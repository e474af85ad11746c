import { describe, expect, it } from 'vitest';
import { editedPayload, payloadText } from '../../../console/jobs/payload-text.ts';

describe('a payload as it is shown', () => {
  it('has its keys sorted and its numbers digit by digit', () => {
    const { text } = payloadText('{"b":12345678901234567890,"a":[1.10,{"z":-0,"y":1e400}]}', []);
    expect(text.replaceAll(/\s/g, '')).toBe('{"a":[1.10,{"y":1e400,"z":-0}],"b":12345678901234567890}');
  });

  it('hides fields by name, whatever their case, depth and value', () => {
    const shown = payloadText('{"Token":{"deep":1},"list":[{"token":"a"},{"other":"token"}],"0":[1]}', ['token', '0']);
    expect(JSON.parse(shown.text)).toEqual({ Token: '[redacted]', list: [{ token: '[redacted]' }, { other: 'token' }], '0': '[redacted]' });
    expect(shown.hidden).toBe(true);
    expect(payloadText('["a"]', ['0']).hidden).toBe(false);
  });

  it('takes keys such as __proto__ for keys', () => {
    expect(payloadText('{"__proto__":{"a":1},"constructor":2}', []).text).toContain('"__proto__": {');
  });

  it('is shown as it lies there when it cannot be read, unless something may have to be hidden in it', () => {
    expect(payloadText('{"token":', [])).toEqual({ text: '{"token":', hidden: false, readable: false });
    expect(payloadText('{"token":', ['token'])).toMatchObject({ text: '[redacted]', readable: false });
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(payloadText(deep, ['a']).text).toBe('[redacted]');
  });
});

describe('an edited payload', () => {
  it('gets back what was hidden, at the place where it was', () => {
    const stored = '{"token":"t0","list":[{"token":"t1"},{"token":"t2"}]}';
    expect(editedPayload('{"list":[{"token":"[redacted]","new":1}],"token":"changed"}', stored, ['TOKEN'])).toEqual({
      list: [{ token: 't1', new: 1 }],
      token: 'changed',
    });
  });

  it.each(['{"a":{"token":"[redacted]"}}', '{"other":[{"token":"[redacted]"}]}'])('refuses %s: nothing was hidden there', (text) => {
    expect(() => editedPayload(text, '{"token":"t"}', ['token'])).toThrow('payload.token');
    expect(editedPayload(text, '{"token":"t"}', [])).toEqual(JSON.parse(text));
  });

  it.each(['12345678901234567890', '[0.12345678901234567890123]', '{"a":1e999}', '-9007199254740993'])(
    'refuses %s, which would become another number',
    (text) => {
      expect(() => editedPayload(text, '{}', [])).toThrow('Put it in quotes');
    },
  );

  it.each([
    '0',
    '-0',
    '0.10',
    '1E5',
    '100000000000000000000',
    '9007199254740992',
    '0.000001',
    '1e-7',
    '123000',
    '5e-324',
    '"12345678901234567890"',
  ])('takes %s', (text) => {
    expect(editedPayload(text, '{}', [])).toEqual(JSON.parse(text));
  });

  it.each([undefined, 1, {}, '', '{', 'undefined'])('refuses %o: it is no JSON text', (text) => {
    expect(() => editedPayload(text, '{}', [])).toThrow('payload');
  });
});

describe('unseen characters', () => {
  it('are written out, and the JSON stays the same', () => {
    const json = JSON.stringify({ a: '\u202egnp.exe\u2066', b: '\u0007\u200b\u2028é👩‍🚀\n' });
    const { text } = payloadText(json, []);
    expect(text).toContain(String.raw`\u202egnp.exe\u2066`);
    expect(text).toContain('👩‍🚀');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u2028]/);
    expect(JSON.parse(text)).toEqual(JSON.parse(json));
  });
});
