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
    const edited = '{"list":[{"token":"[redacted]","new":1},{"token":"[redacted]"}],"token":"changed"}';
    expect(editedPayload(edited, stored, ['TOKEN'])).toEqual({
      list: [{ token: 't1', new: 1 }, { token: 't2' }],
      token: 'changed',
    });
  });

  const PAYEES = '[{"to":"a","iban":1},{"to":"b","iban":2},{"to":"c","iban":3}]';
  it.each([
    ['takes an entry out', '[{"to":"b","iban":"[redacted]"},{"to":"c","iban":"[redacted]"}]'],
    ['puts one in', '[{"to":"x","iban":9},{"to":"a","iban":"[redacted]"},{"to":"b","iban":"[redacted]"},{"to":"c","iban":"[redacted]"}]'],
    ['changes their order', '[{"to":"b","iban":"[redacted]"},{"to":"a","iban":"[redacted]"},{"to":"c","iban":"[redacted]"}]'],
    [
      'changes their order and one of them',
      '[{"to":"b!","iban":"[redacted]"},{"to":"a","iban":"[redacted]"},{"to":"c","iban":"[redacted]"}]',
    ],
  ])('is refused when it %s: hidden fields would come to another entry', (_, text) => {
    expect(() => editedPayload(text, PAYEES, ['iban'])).toThrow('keep their number and their order');
    expect(() => editedPayload(`{"deep":[${text}]}`, `{"deep":[${PAYEES}]}`, ['iban'])).toThrow('keep their number');
  });

  it('may change a list in any way once every hidden field of it has a value, or none has one', () => {
    expect(editedPayload('[{"to":"b","iban":7}]', PAYEES, ['iban'])).toEqual([{ to: 'b', iban: 7 }]);
    expect(editedPayload('[3,1]', '[1,2,3]', ['iban'])).toEqual([3, 1]);
    expect(editedPayload('[{"to":"z","iban":"[redacted]"}]', '[{"to":"a","iban":1}]', ['iban'])).toEqual([{ to: 'z', iban: 1 }]);
  });

  it.each(['{"a":1,"account":12345678901234567890}', '{"a":1,"account":{"deep":[0.12345678901234567890123]}}'])(
    'is refused when a hidden number of %s would come out as another one, and its digits are not shown',
    (stored) => {
      expect(() => editedPayload('{"a":2,"account":"[redacted]"}', stored, ['account'])).toThrow(/^(?!.*1234).*would not survive an edit/);
      expect(editedPayload('{"a":2,"account":5}', stored, ['account'])).toEqual({ a: 2, account: 5 });
    },
  );

  it('keeps nothing of a stored text that is no JSON', () => {
    expect(editedPayload('{"a":1}', '{"a":', ['token'])).toEqual({ a: 1 });
    expect(() => editedPayload('{"token":"[redacted]"}', '{"a":', ['token'])).toThrow('payload.token');
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

describe('a payload that was typed', () => {
  it.each(['{"a":1,"a":2}', '{"a":{"b":1,"c":[{"d":1,"d":2}]}}', '{"a":1,"\\u0061":2}', '{"x":"a\\"}","a" :1,"a"\n:2}'])(
    'is refused where a key occurs twice: %s',
    (text) => expect(() => editedPayload(text, undefined, [])).toThrow(/occurs twice/u),
  );

  it.each(['{"a":"\\ud800"}', '{"\\udc00":1}', '["\ud83d"]'])('is refused with half of a surrogate pair: %j', (text) =>
    expect(() => editedPayload(text, undefined, [])).toThrow(/surrogate/u),
  );
});
