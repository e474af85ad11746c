import { describe, expect, test } from 'vitest';
import { strictJson } from '../../../shared/job/strict-json.ts';

describe('JSON that was typed', () => {
  test.each([
    '{"a":1,"a":2}',
    '{"a":{"b":1,"c":[{"d":1,"d":2}]}}',
    '{"a":{"b":1},"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x":"a\\"}","a" :1,"a"\n:2}',
    '[{"a":1},{"":1,"":2}]',
  ])('is refused where a key occurs twice: %s', (text) => expect(() => strictJson(text)).toThrow(/^the key "[^"]*".* occurs twice/u));

  test.each(['{"a":"\\ud800"}', '{"\\udc00":1}', '["\ud83d"]'])('is refused with half of a surrogate pair: %j', (text) =>
    expect(() => strictJson(text)).toThrow(/surrogate/u),
  );

  test.each(['{', "{'a':1}", 'undefined', '{"a":1,}'])('is refused where it is none: %s', (text) =>
    expect(() => strictJson(text)).toThrow(SyntaxError),
  );

  test.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":{"b":1},"b":2}',
    '{"a":"b","b":"a","c":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":"{","b":{"a":"}"}}',
    '["a","a"]',
    '{"x":["a","a"]}',
    '"\\ud83d\\ude00"',
    '7',
    'null',
    '{}',
  ])('is taken as it stands otherwise: %s', (text) => expect(strictJson(text)).toEqual(JSON.parse(text)));
});
