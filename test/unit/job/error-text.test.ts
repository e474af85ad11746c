import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NonRetryableError, NightcrewError, RetryAfterError, causeChain, shown } from '../../../shared/job/errors.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import { fingerprint } from '../../../shared/job/fingerprint.ts';
import { sha256 } from '../../../shared/job/hash.ts';
import { LIMITS, utf8Bytes } from '../../../shared/job/size-limits.ts';
import { NOON } from './sample-job.ts';

const hostile = Object.defineProperties(new Error('x'), {
  message: {
    get: () => {
      throw new Error('no message');
    },
  },
  stack: {
    get: () => {
      throw new Error('no stack');
    },
  },
  cause: {
    get: () => {
      throw new Error('no cause');
    },
  },
});

describe('the text of an error', () => {
  test('keeps name, message, stack and instant', () => {
    const text = errorText(new TypeError('no such invoice'), NOON);
    expect(text).toMatchObject({ name: 'TypeError', message: 'no such invoice', at: NOON });
    expect(text.stack).toContain('error-text.test.ts');
  });

  test('keeps the stacks of the causes', () => {
    const text = errorText(new Error('outer', { cause: new RangeError('inner') }), NOON);
    expect(text.stack).toMatch(/Caused by: RangeError: inner|outer/);
  });

  test('of a huge error fits into a row, whatever its characters', () => {
    for (const letter of ['x', 'é', '😀', '\u0000', '"']) {
      const error = new Error(letter.repeat(300_000));
      error.name = letter.repeat(1_000);
      const text = errorText(error, NOON);
      expect(utf8Bytes(text.message)).toBeLessThanOrEqual(LIMITS.errorMessageBytes);
      expect(utf8Bytes(text.stack ?? '')).toBeLessThanOrEqual(LIMITS.errorStackBytes);
      expect(text.name.length).toBeLessThanOrEqual(LIMITS.errorNameChars);
      expect([text.message, text.name, text.stack ?? ''].every((part) => part.isWellFormed())).toBe(true);
    }
  });

  test.each([
    ['password=hunter2', 'hunter2'],
    ['{"password":"hunter2"}', 'hunter2'],
    ['DB_PASSWORD: hunter2', 'hunter2'],
    ['clientSecret = hunter2', 'hunter2'],
    ['aws_secret_access_key=hunter2', 'hunter2'],
    ['x-api-key: hunter2', 'hunter2'],
    ['access_token=hunter2&next=1', 'hunter2'],
    ['Authorization: Bearer abcdefgh.hunter2', 'hunter2'],
    ['authorization: Basic aHVudGVyMg==', 'aHVudGVyMg=='],
    ['postgres://admin:hunter2@db/orders', 'hunter2'],
    ['key AKIAIOSFODNN7EXAMPLE was refused', 'AKIAIOSFODNN7EXAMPLE'],
    ['key ASIAIOSFODNN7EXAMPLE was refused', 'ASIAIOSFODNN7EXAMPLE'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.signature', 'eyJzdWIiOiIxIn0'],
    ['card: 4111111111111111', '4111'],
  ])('takes the secret out of %j', (message, secret) => {
    const error = new Error(message);
    const text = errorText(error, NOON);
    expect(text.message).toContain('[redacted]');
    expect(JSON.stringify(text)).not.toContain(secret);
  });

  test.each(['discard: 5 items', 'the passenger list is empty', 'secretary not found', 'Cannot read properties of undefined'])(
    'leaves %j alone',
    (message) => {
      expect(errorText(new Error(message), NOON).message).toBe(message);
    },
  );

  test('holds no half of a surrogate pair, which the store could not keep', () => {
    const text = errorText(new Error('cut \ud83d'), NOON);
    expect([text.message, text.stack?.isWellFormed()]).toEqual(['cut \ufffd', true]);
  });

  test('takes control characters out, so that no line or escape can be forged in a log', () => {
    expect(errorText(new Error('a\u001b[31m\u0007b\r\nc\u009bd'), NOON).message).toBe('a [31m b \nc d');
  });

  test.each([
    ['a text', 'out of paper', 'string', 'out of paper'],
    ['undefined', undefined, 'undefined', 'nothing was thrown'],
    ['null', null, 'object', 'nothing was thrown'],
    ['a number', 404, 'number', '404 was thrown, which is no Error'],
    ['an object without a message', { secret: 1 }, 'object', 'an object was thrown, which is no Error'],
    ['an object without a prototype', Object.create(null), 'object', 'an object was thrown, which is no Error'],
    ['an object like an error', { name: 'Odd', message: 'like an error' }, 'Odd', 'like an error'],
    ['a symbol', Symbol('x'), 'symbol', 'Symbol(x) was thrown, which is no Error'],
  ])('says what %s was', (_, thrown, name, message) => expect(errorText(thrown, NOON)).toMatchObject({ name, message }));

  test('is written for any thing that can be thrown, also one whose own getters throw', () => {
    expect(errorText(hostile, NOON).message).toContain('was thrown');
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withProxy: true } as object), (thrown) => {
        const text = errorText(thrown, NOON);
        expect(typeof text.message).toBe('string');
      }),
    );
  });
});

describe('a cause chain', () => {
  test('that is circular ends', () => {
    const error: Error & { cause?: unknown } = new Error('x');
    error.cause = error;
    expect(causeChain(error)).toHaveLength(16);
  });

  test('goes from the outside in', () => {
    const inner = new NonRetryableError('inner');
    const outer = new Error('outer', { cause: inner });
    expect(causeChain(outer)).toEqual([outer, inner]);
  });

  test('of nothing is empty', () => expect([causeChain(undefined), causeChain(null)]).toEqual([[], []]));
});

describe('the error family', () => {
  test('carries its name, code and whether the same call may succeed later', () => {
    const error = new NonRetryableError('gone', { cause: 1 });
    expect(error).toMatchObject({ name: 'NonRetryableError', code: 'NON_RETRYABLE', retryable: false, cause: 1 });
    expect(error).toBeInstanceOf(NightcrewError);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses a retry after %d ms', (ms) =>
    expect(() => new RetryAfterError('busy', ms)).toThrow(/^retryAfterMs/),
  );

  test('shows any value short and on one line', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (value) => {
        expect(shown(value).length).toBeLessThanOrEqual(80);
        expect(shown(value)).not.toContain('\n');
      }),
    );
    expect([shown(Symbol('a\nb')), shown('\u009b2J\u2028')]).toEqual(['Symbol(a b)', '" 2J "']);
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect([shown(proxy), shown(Object.create(Date.prototype))]).toEqual(['an object', 'an object']);
    expect([shown({ a: 1 }), shown([1]), shown(new Date(5)), shown(() => 1), shown(5n)]).toEqual([
      'an object',
      'an array',
      'Date 5',
      'a function',
      '5',
    ]);
  });
});

describe('a fingerprint', () => {
  const dead = (message: string, line = 10, name = 'HttpError'): string =>
    fingerprint('webhook.deliver', {
      name,
      message,
      stack: `${name}: ${message}\n    at deliver (/var/task/index.mjs:${line}:7)\n    at run (/var/task/index.mjs:1:1)`,
      at: NOON,
    });

  test('is the same for two occurrences that differ in ids, numbers and quoted texts', () => {
    expect(dead('order 17 of "acme" (019b7a2c-3c00-7abc-8def-0123456789ab) answered 503')).toBe(
      dead("order 9 of 'x y' (019b7a2c-ffff-7abc-8def-ffffffffffff) answered 504"),
    );
  });
  test('does not change with the line of a new build', () => expect(dead('timed out', 10)).toBe(dead('timed out', 999)));
  test('differs by type, name, message and the function it came from', () => {
    const one = dead('timed out');
    expect(one).not.toBe(dead('refused'));
    expect(one).not.toBe(dead('timed out', 10, 'DnsError'));
    expect(one).not.toBe(fingerprint('other.type', { name: 'HttpError', message: 'timed out', at: NOON }));
  });
  test('is 22 characters, fit for a key', () => expect(dead('x')).toMatch(/^[\w-]{22}$/));
  test('exists for an error without a stack', () => expect(fingerprint('a', { name: 'E', message: '', at: 0 })).toHaveLength(22));
});

describe('what is no good error', () => {
  test.each([
    [
      { name: 5, message: 7, stack: {} },
      { name: 'object', message: 'an object was thrown, which is no Error', at: NOON },
    ],
    [
      { name: '', message: 'm' },
      { name: 'Error', message: 'm', at: NOON },
    ],
    [Object.assign(() => 1, { message: 'm' }), { name: 'function', message: 'a function was thrown, which is no Error', at: NOON }],
    ['text', { name: 'string', message: 'text', at: NOON }],
    [7, { name: 'number', message: '7 was thrown, which is no Error', at: NOON }],
    [null, { name: 'object', message: 'nothing was thrown', at: NOON }],
  ])('is told as far as it goes, without a stack (%#)', (thrown, expected) => expect(errorText(thrown, NOON)).toStrictEqual(expected));

  test('is read for 20,000 characters and no further', () => {
    const secrets = `secret=${'y'.repeat(390)} `.repeat(60);
    const { message } = errorText(`${secrets}END`, NOON);
    expect(message).toContain('[redacted]');
    expect(message).not.toContain('END');
  });
});

describe('a secret', () => {
  test.each([
    'eyJhbGciOiJI.eyJzdWIiOiIx.abc-DEF_123',
    'eyJhbGciOiJI.eyJzdWIiOiIx.',
    'Bearer   abc.def-123',
    'basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    'x-my-secret-header-v2: abcdef',
    'db_password_old = "hunter2"',
    'apikey=abcdef',
    'api_key: abcdef',
    'private-key=abcdef',
  ])('goes as a whole: %s', (text) => expect(errorText(text, NOON).message.replace(/"$/, '')).toBe('[redacted]'));
});

describe('what a fingerprint is made of', () => {
  const of = (message: string, stack?: string): string =>
    fingerprint('t', { name: 'E', message, at: 0, ...(stack === undefined ? {} : { stack }) });
  const sum = (message: string, frame: string): string => sha256(`t\nE\n${message}\n${frame}`).slice(0, 22);

  test.each([
    ['17 of "a b" and \'c\'', '? of ? and ?'],
    ['at 0xDEADBEEF', 'at ?'],
    ['job abcdefab-cdef-7abc-8def-abcdefabcdef', 'job ?'],
    ['plain', 'plain'],
  ])('is the message %j without what varies', (message, kept) => expect(of(message)).toBe(sum(kept, '')));

  test.each([
    ['E: m\n    at deliver (/a.mjs:10:27)\n    at run (/b.mjs:1:1)', 'deliver (a.mjs'],
    ['E: m\n    at file:///a:1:2/b.mjs:10:27', 'b.mjs'],
    ['E: that is it\n    at f (a.mjs:1:2)', 'f (a.mjs'],
    [`E: m\n    at ${'x'.repeat(400)}\n    at g (a.mjs:1:2)`, 'g (a.mjs'],
    ['at f', 'f'],
    ['no frames', ''],
  ])('is the first frame of %j, without its line', (stack, frame) => expect(of('m', stack)).toBe(sum('m', frame)));
});
