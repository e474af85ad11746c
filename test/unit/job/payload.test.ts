import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { InvalidInputError, NightcrewError, PayloadTooLargeError } from '../../../shared/job/errors.ts';
import { cutToBytes, LIMITS, utf8Bytes } from '../../../shared/job/size-limits.ts';
import { decodePayload, encodePayload } from '../../../shared/job/payload.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

function circle(): unknown {
  const self: Record<string, unknown> = {};
  self['self'] = self;
  return self;
}

describe('a payload', () => {
  test('survives being written and read, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        fc.pre(!/"(?:__proto__|constructor)":/.test(JSON.stringify(value)));
        expect(decodePayload(encodePayload(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each([
    ['__proto__', '{"admin":true}'],
    ['constructor', '{"prototype":{"admin":true}}'],
  ])('with the key %s, which reaches a prototype, is refused on the way in and on the way out', (key, value) => {
    const json = `{"order":{"items":[{"${key}":${value}}]}}`;
    expect(() => encodePayload(JSON.parse(json))).toThrow(/^payload\.order\.items.*prototype/);
    expect(() => decodePayload(json)).toThrow(InvalidInputError);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  test('may tell who built a car: constructor is a word like any other until it leads to a prototype', () => {
    const json = '{"constructor":"Ferrari","prototype":"F1-75"}';
    expect(decodePayload(encodePayload(JSON.parse(json)))).toEqual(JSON.parse(json));
  });

  test('may hold such a word as a value', () => expect(encodePayload({ word: '__proto__' })).toBe('{"word":"__proto__"}'));

  test('is refused above the limit, and the message says how large it was', () => {
    const text = 'é'.repeat(LIMITS.payloadBytes / 2);
    const refused = (): unknown => encodePayload(text);
    expect(refused).toThrow(PayloadTooLargeError);
    expect(refused).toThrow(`payload: ${LIMITS.payloadBytes + 2} bytes of JSON are more than the limit of ${LIMITS.payloadBytes} bytes`);
  });

  test('of exactly the limit is taken', () =>
    expect(utf8Bytes(encodePayload('x'.repeat(LIMITS.payloadBytes - 2)))).toBe(LIMITS.payloadBytes));

  test('is measured in bytes, not characters', () =>
    expect(() => encodePayload('😀'.repeat(LIMITS.payloadBytes / 4))).toThrow(PayloadTooLargeError));

  test('may be nested 64 levels deep and no deeper', () => {
    expect(() => encodePayload(nested(64))).not.toThrow();
    expect(() => encodePayload(nested(65))).toThrow(/64 levels/);
  });

  test('nested so deep that it would overflow the stack is refused, in memory and in storage', () => {
    expect(() => encodePayload(nested(100_000))).toThrow(/64 levels/);
    expect(() => decodePayload('['.repeat(50_000) + ']'.repeat(50_000))).toThrow(/64 levels/);
  });

  test('that holds itself is refused', () => expect(() => encodePayload(circle())).toThrow(/no circles/));

  test('with more keys than the limit is refused', () => {
    expect(() => encodePayload(Array.from({ length: LIMITS.payloadKeys }, () => 0))).not.toThrow();
    expect(() => encodePayload(Array.from({ length: LIMITS.payloadKeys + 1 }, () => 0))).toThrow(/10000 keys/);
  });

  test('with more holes than that is refused before they become text, wherever they lie', () => {
    const holes = Object.assign([] as unknown[], { length: 2 ** 32 - 1 });
    expect(() => encodePayload(holes)).toThrow(/4294967295 keys/);
    expect(() => encodePayload([1, 2].map(() => Object.assign([], { length: 6_000 })))).toThrow(/at most 10000 keys/);
    expect(() => encodePayload(Buffer.alloc(1_000_000))).toThrow(/1000000 keys/);
  });

  test.each([
    ['a key that could change a prototype', () => JSON.parse('{"__proto__":{"admin":true}}') as unknown],
    ['more levels than the limit', () => nested(65)],
    ['more keys than the limit', () => Array.from({ length: LIMITS.payloadKeys + 1 }, () => 0)],
  ])('whose toJSON gives %s is refused: the executor could not read it', (_, toJSON) =>
    expect(() => encodePayload({ order: { toJSON } })).toThrow(InvalidInputError),
  );

  test('with a getter or a proxy that throws is refused, with what was thrown as the cause', () => {
    const thrown = new Error('no');
    const thrower = (): never => {
      throw thrown;
    };
    for (const value of [Object.defineProperty({}, 'a', { enumerable: true, get: thrower }), new Proxy({}, { ownKeys: thrower })]) {
      expect(() => encodePayload({ value })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', cause: thrown }) as Error);
    }
  });

  test('is refused on one line, whatever its keys are called', () =>
    expect(() => encodePayload({ 'a\nb\u001b[2J': { c: Number.NaN } })).toThrow(/^payload\.a b \[2J\.c: NaN is not valid\. [^\n]+$/));

  test.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a bigint', { amount: 5n }],
    ['NaN', { amount: Number.NaN }],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a Map', { lines: new Map([[1, 2]]) }],
    ['a Set', new Set([1])],
    [
      'an object whose toJSON throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ],
  ])('is refused when it is %s, instead of losing it silently', (_, value) =>
    expect(() => encodePayload(value)).toThrow(InvalidInputError),
  );

  class Sealed {
    readonly #balance = 78051120;
    balance(): number {
      return this.#balance;
    }
  }
  test.each<[string, unknown]>([
    ['an invalid Date', new Date(Number.NaN)],
    ['an Error', new Error('78051120')],
    ['an Error', Object.assign(new TypeError('78051120'), { code: 78051120 })],
    ['a RegExp', /78051120/],
    ['a Promise', Promise.resolve(78051120)],
    ['a URLSearchParams', new URLSearchParams('ssn=78051120')],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['binary data', new Uint8Array([78, 5, 11, 20])],
    ['binary data', new DataView(new ArrayBuffer(8))],
    ['a Map', new Map([['ssn', 78051120]])],
    ['a Set', new Set([78051120])],
    ['an object of a class', new Map([['ssn', 78051120]]).values()],
    ['an object of a class', new WeakMap()],
    ['an object of a class', new Headers({ ssn: '78051120' })],
    ['an object of a class', new Sealed()],
    ['a bigint', 78051120n],
    ['a function', () => 78051120],
    ['a symbol', Symbol('78051120')],
  ])('of which JSON would keep nothing is refused with its path and kind, never its value: %s', (kind, value) => {
    for (const [payload, path] of [
      [value, 'payload'],
      [{ lines: [{ ssn: value }] }, 'payload.lines.0.ssn'],
    ] as const) {
      const refused = (): unknown => encodePayload(payload);
      expect(refused).toThrow(`${path}: ${kind} is not valid. `);
      expect(refused).not.toThrow(/78051120/);
    }
  });

  test('is converted as JSON converts it: by a toJSON method, and what is boxed, -0 and undefined in an array', () => {
    const money = Object.assign(new Sealed(), { toJSON: () => '5 EUR' });
    const other = { at: new Date(0), money, boxed: Object(1) as unknown, zero: -0, list: [undefined], of: Object.create(null) as unknown };
    expect(encodePayload(other)).toBe('{"at":"1970-01-01T00:00:00.000Z","money":"5 EUR","boxed":1,"zero":0,"list":[null],"of":{}}');
  });

  test('may be a Date, a text, a number, null or a class of plain data', () => {
    class Line {
      readonly sku = 'a';
    }
    expect([new Date(0), 'x', 1, null, new Line(), [], {}].map((value) => encodePayload(value))).toEqual([
      '"1970-01-01T00:00:00.000Z"',
      '"x"',
      '1',
      'null',
      '{"sku":"a"}',
      '[]',
      '{}',
    ]);
  });

  test('that is stored as something other than JSON is a typed error that does not show it', () => {
    expect(() => decodePayload('{"card":"4111')).toThrow(InvalidInputError);
    expect(() => decodePayload('{"card":"4111')).not.toThrow(/4111/);
  });

  test('is read or refused with a typed error, whatever text is stored', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          decodePayload(text);
        } catch (error) {
          expect(error).toBeInstanceOf(NightcrewError);
        }
      }),
    );
  });
});

describe('a text cut to bytes', () => {
  test('is a prefix that fits, cut between characters and as late as possible', () => {
    // One to four bytes each.
    const unit = fc.constantFrom('\0', 'a', 'ß', '€', '😀');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), fc.nat({ max: 40 }), (text, bytes) => {
        const cut = cutToBytes(text, bytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(utf8Bytes(cut)).toBeLessThanOrEqual(bytes);
        expect(cut.isWellFormed()).toBe(true);
        if (cut !== text) expect(utf8Bytes(cut)).toBeGreaterThan(bytes - 4);
      }),
    );
  });
});

describe('a key that JSON takes', () => {
  test.each([
    [{ constructor: 'ACME' }],
    [{ constructor: null }],
    [{ constructor: {} }],
    [{ constructor: [{ prototype: 1 }] }],
    [{ maker: { prototype: 1 } }],
    [{ prototype: { constructor: 1 } }],
    [{ length: 20_000 }],
  ])('may be in %j', (payload) => expect(encodePayload(payload)).toBe(JSON.stringify(payload)));

  test('and holds a class is refused, because JSON would leave it out', () =>
    expect(() => encodePayload({ constructor: Date })).toThrow(/^payload\.constructor: a function /));
});

describe('a payload that is refused', () => {
  const deep = (inner: unknown): unknown => ({ a: { b: { c: { d: { e: inner } } } } });
  const tooMany = [...Array.from({ length: LIMITS.payloadKeys - 1 }, () => 0), Number.NaN];
  test.each([
    ['what JSON leaves out', undefined, /^payload: undefined .*for no payload give \{\}/],
    ['a toJSON that gives nothing', { toJSON: () => undefined }, /^payload: an object .*for no payload give \{\}/],
    ['a bigint', { sum: { cents: 5n } }, /^payload\.sum\.cents: a bigint .*no bigint/],
    ['a Map', [new Map()], /^payload\.0: a Map /],
    ['a Set', { a: new Set() }, /^payload\.a: a Set /],
    ['a place far inside', deep(Number.NaN), /^payload\.a\.b\.c: NaN /],
    ['a long key', { ['k'.repeat(50)]: Number.NaN }, new RegExp(`^payload\\.k{40}: NaN `)],
    ['the last of as many as may be', tooMany, /^payload\.9999: NaN /],
    ['more than may be', Array.from({ length: LIMITS.payloadKeys + 1 }, () => 0), /^payload: 10001 keys /],
    ['more levels than may be', nested(65), /^payload: a nested value /],
    ['what throws', { toJSON: () => expect.fail('thrown') }, /^payload: an object .*Reading it threw/],
  ])('for %s says where, and what it is', (_, payload, message) => expect(() => encodePayload(payload)).toThrow(message));

  test('where it is stored says so, without a cause that quotes it', () => {
    const refused = vi.fn(() => decodePayload('{'));
    expect(refused).toThrow(/^payload: the stored text /);
    expect(refused.mock.results[0]?.value).not.toHaveProperty('cause');
  });
});

test('a text is cut only where it is too long, and keeps what it holds of replaced characters', () => {
  expect([cutToBytes('a\ufffd', 4), cutToBytes('a\ufffd', 3), cutToBytes('\ufffd\ufffd😀', 9), cutToBytes('€', 0)]).toEqual([
    'a\ufffd',
    'a',
    '\ufffd\ufffd',
    '',
  ]);
});

describe('a stored payload', () => {
  test('that holds a hostile key is refused, and where it stands is said', () => {
    expect(() => decodePayload('{"a":{"__proto__":{}}}')).toThrow(/^payload\.a: "__proto__" /);
  });
});

test('a payload with a symbol is refused as JSON would leave it out', () =>
  expect(() => encodePayload({ a: { b: Symbol('x') } })).toThrow(/^payload\.a\.b: a symbol .*leave it out/));

test('what a toJSON method may hand on is looked at as well', () => {
  const handsOn = {
    n: Number.NaN,
    toJSON() {
      return { n: this.n };
    },
  };
  expect(() => encodePayload({ handsOn })).toThrow(/^payload\.handsOn\.n: NaN/);
});
