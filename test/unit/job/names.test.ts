import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { joinParts } from '../../../shared/job/hash.ts';
import {
  checkFlag,
  checkOptions,
  checkPriority,
  checkTenantOrNull,
  checkText,
  checkTypeName,
  checkWorkerName,
} from '../../../shared/job/names.ts';
import { keyToCancel, keyToRelease, uniqueKeyHash } from '../../../shared/job/unique-key.ts';

const HOSTILE = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'];

describe('a type name', () => {
  test.each(['a', 'invoice.send', 'Invoice_Send', 'billing:invoice-send', 'x'.repeat(128)])('%s is taken', (name) =>
    expect(checkTypeName(name)).toBe(name),
  );
  test.each(['', '1st', '.x', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(129), undefined, null, 7, {}, ['a'], ...HOSTILE])(
    '%j is refused',
    (name) => {
      expect(() => checkTypeName(name)).toThrow(InvalidInputError);
    },
  );
});

describe('a worker or lane name', () => {
  test.each(['a', 'default', 'high-prio2', 'x'.repeat(32)])('%s is taken', (name) => expect(checkWorkerName(name)).toBe(name));
  test.each(['', 'A', '2x', 'a_b', 'a.b', 'x'.repeat(33), 'a\n', null, 7, ...HOSTILE])('%j is refused', (name) =>
    expect(() => checkWorkerName(name)).toThrow(/^worker: /),
  );
});

describe('a group, tenant, key or correlation id', () => {
  test('may be any text of up to 256 characters', () => {
    const text = 'ß'.repeat(256);
    expect(checkText(text, 'group')).toBe(text);
    expect(checkText('../../x y\n#', 'key')).toBe('../../x y\n#');
  });
  test('that is empty or absent is none', () =>
    expect([checkText('', 'tenant'), checkText(undefined, 'tenant')]).toEqual([undefined, undefined]));
  test('that is longer is refused, and the message says how long it was', () =>
    expect(() => checkText('x'.repeat(257), 'group')).toThrow(/^group: 257 characters.*at most 256/));
  test('that holds half a surrogate pair is refused, because the store could not keep it', () =>
    expect(() => checkText('cut \ud83d', 'group')).toThrow(/surrogate/));
  test.each([5, null, {}, [], Symbol('x'), true])('that is no text is refused (%#)', (value) =>
    expect(() => checkText(value, 'tenant')).toThrow(/^tenant: /),
  );
  test.each(HOSTILE)('%s is refused', (text) => expect(() => checkText(text, 'group')).toThrow(InvalidInputError));
});

describe('a tenant that may be none', () => {
  test('is a name, or null for none', () => expect([checkTenantOrNull('acme'), checkTenantOrNull(null)]).toEqual(['acme', undefined]));
  test.each(['', undefined])('is not %j: who means none says null', (value) =>
    expect(() => checkTenantOrNull(value)).toThrow(/^tenant: .*Name the tenant, or give null for none/),
  );
  test.each([5, {}, 'x'.repeat(257)])('is a text as any other (%#)', (value) =>
    expect(() => checkTenantOrNull(value)).toThrow(/^tenant: /),
  );
});

describe('a priority', () => {
  test.each([0, -5, 100, Number.MAX_SAFE_INTEGER])('%d is taken', (priority) => expect(checkPriority(priority)).toBe(priority));
  test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', null, undefined])('%j is refused', (priority) =>
    expect(() => checkPriority(priority)).toThrow(/^priority: /),
  );
});

describe('a unique key', () => {
  test('is unique in type, tenant and key, and no part runs into the next', () => {
    const hashes = [
      uniqueKeyHash('a', 'b', 'c'),
      uniqueKeyHash('a', 'bc', ''),
      uniqueKeyHash('ab', '', 'c'),
      uniqueKeyHash('a', undefined, 'bc'),
      uniqueKeyHash('a', undefined, '1:b1:c'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(joinParts(['1:a', ''])).not.toBe(joinParts(['', '1:a']));
  });
  test('of an empty tenant is that of none', () => expect(uniqueKeyHash('a', '', 'k')).toBe(uniqueKeyHash('a', undefined, 'k')));
  test('ends with its job, unless it lasts for a stated time', () => {
    expect(keyToRelease({ type: 'a', key: 'k' })).toBe(uniqueKeyHash('a', undefined, 'k'));
    expect(keyToRelease({ type: 'a', key: 'k', keyExpiresAt: 5 })).toBeUndefined();
    expect(keyToRelease({ type: 'a' })).toBeUndefined();
  });
  test('goes with a cancelled job in any case, since the work was not done', () => {
    const job = { type: 'a', tenant: 't', key: 'k', keyExpiresAt: 5 };
    expect(keyToCancel(job)).toBe(uniqueKeyHash('a', 't', 'k'));
    expect(keyToCancel({ type: 'a' })).toBeUndefined();
  });
});

describe('options', () => {
  test('may be left out or be any of those that are known', () => {
    expect(() => checkOptions({}, ['delay'], 'options')).not.toThrow();
    expect(() => checkOptions({ delay: 1 }, ['delay', 'runAt'], 'options')).not.toThrow();
  });
  test.each([undefined, null, 'x', 5, [], () => 1])('are refused when they are no object (%#)', (options) =>
    expect(() => checkOptions(options, ['delay'], 'when')).toThrow(/^when: .*Give an object of options/),
  );
  test('are refused when one is not known, with the nearest of those that are, or all', () => {
    expect(() => checkOptions({ delay: 1, dealy: 1 }, ['delay', 'runAt'], 'when')).toThrow(/^when: "dealy" .*Did you mean delay\?$/);
    expect(() => checkOptions({ later: 1 }, ['delay', 'runAt'], 'when')).toThrow(/^when: "later" .*Known are: delay, runAt\.$/);
  });
});

test('a type that is refused is called that', () => expect(() => checkTypeName('1x')).toThrow(/^type: "1x"/));
test('a scope of parts says the length of each', () => expect(joinParts(['a', 'bc', ''])).toBe('1:a2:bc0:'));

describe('a flag', () => {
  test.each([true, false, undefined])('may be %s', (flag) => expect(checkFlag(flag, 'exclusive')).toBe(flag));
  test.each([null, 0, 1, 'true', {}])('is refused as %j', (flag) =>
    expect(() => checkFlag(flag, 'exclusive')).toThrow(/^exclusive: .*true or false/),
  );
});
