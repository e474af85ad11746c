import { types } from 'node:util';
import { Described, InvalidInputError, kindOf, NightcrewError, PayloadTooLargeError } from './errors.ts';
import { LIMITS, utf8Bytes } from './size-limits.ts';

/** Keys that could change the prototype of objects when a payload is merged: `constructor` only on the way to `prototype`. */
function isHostile(name: string, child: unknown): boolean {
  return (
    name === '__proto__' || (name === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype'))
  );
}

/** JSON text of a payload, or of another value that `field` names; refuses what JSON cannot hold, hostile keys, and what is too large, deep or wide. */
export function encodePayload(payload: unknown, field = 'payload', limit: number = LIMITS.payloadBytes): string {
  const rewrites = reading(payload, field, () => checkShape(payload, field));
  const json = reading(payload, field, () => JSON.stringify(payload));
  // The result of a toJSON method was not checked yet; decodePayload checks it.
  if (rewrites && json !== undefined) checkShape(JSON.parse(json), field);
  if (json === undefined) throw new InvalidInputError(field, kindOf(payload), `Give a value that JSON can hold; for no ${field} give {}.`);
  const bytes = utf8Bytes(json);
  if (bytes > limit) throw new PayloadTooLargeError(bytes, limit);
  return json;
}

function reading<Result>(payload: unknown, field: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof NightcrewError) throw cause;
    throw new InvalidInputError(field, kindOf(payload), 'Reading it threw, perhaps in a toJSON method or a getter. Give plain data.', {
      cause,
    });
  }
}

/** The value of a stored payload; a JSON error or a hostile key is an error, never a changed prototype. */
export function decodePayload(json: string): unknown {
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    // Without its cause, which quotes the payload.
    throw new InvalidInputError('payload', new Described('the stored text'), 'The stored payload is not JSON. Edit it before a redrive.');
  }
  checkShape(payload);
  return payload;
}

/** Whether a toJSON method decides what becomes of the value; a Date's own is harmless. */
function rewritesItself(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function' && value.toJSON !== Date.prototype.toJSON;
}

/** The number of JSON entries of a value, before it is copied: holes of an array become `null`. */
function lengthOf(value: object): number {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value) ? Number(value.length) : 0;
}

/** Walks iteratively, so that depth cannot overflow the stack. True if a toJSON method will be called. */
function checkShape(payload: unknown, field = 'payload'): boolean {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: payload, path: field, depth: 0 }];
  let keys = 0;
  let rewrites = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new InvalidInputError(path, value, 'JSON has no NaN or Infinity. Use null or a string.');
    }
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new InvalidInputError(path, kindOf(value), 'JSON would leave it out. Give plain data.');
    }
    // Its kind and never its value: producers log these messages.
    if (typeof value === 'bigint') throw new InvalidInputError(path, kindOf(value), 'JSON holds no bigint. Use a text.');
    if (typeof value !== 'object' || value === null) continue;
    const unheld = whyUnheld(value);
    if (unheld !== undefined) throw new InvalidInputError(path, unheld.what, unheld.fix);
    if (depth >= LIMITS.payloadDepth) {
      throw new InvalidInputError(field, new Described('a nested value'), `Nest at most ${LIMITS.payloadDepth} levels and no circles.`);
    }
    const length = lengthOf(value);
    const entries = keys + length > LIMITS.payloadKeys ? [] : Object.entries(value);
    keys += Math.max(length, entries.length);
    if (keys > LIMITS.payloadKeys) {
      throw new InvalidInputError(field, new Described(`${keys} keys`), `Use at most ${LIMITS.payloadKeys} keys and array entries.`);
    }
    const rewritten = rewritesItself(value);
    rewrites ||= rewritten;
    for (const [name, child] of entries) {
      if (!Array.isArray(value) && isHostile(name, child)) {
        throw new InvalidInputError(path, name, 'Rename this key: it could change the prototype of objects.');
      }
      // What a toJSON method gives is looked at instead of what it leaves out.
      if (rewritten && typeof child === 'function') continue;
      open.push({ value: child, path: depth < 3 ? `${path}.${name.slice(0, 40)}` : path, depth: depth + 1 });
    }
  }
  return rewrites;
}

/** Why JSON cannot hold an object: what it is, and what to give instead. */
interface Unheld {
  readonly what: Described;
  readonly fix: string;
}

const LOSES = 'JSON would keep nothing of it.';

/** Kinds of objects of which JSON keeps nothing, or something else than they are. */
const KINDS: readonly (readonly [is: (value: object) => boolean, what: string, fix: string])[] = [
  [(value) => value instanceof Map, 'a Map', `${LOSES} Use an object, or an array of its entries.`],
  [(value) => value instanceof Set, 'a Set', `${LOSES} Use an array.`],
  [types.isPromise, 'a Promise', `${LOSES} Await it first.`],
  [types.isNativeError, 'an Error', 'JSON would drop its name and message. Use { name, message }.'],
  [types.isRegExp, 'a RegExp', `${LOSES} Use its source as a text.`],
  [types.isAnyArrayBuffer, 'an ArrayBuffer', `${LOSES} Use base64 in a text.`],
  [
    (value) => ArrayBuffer.isView(value),
    'binary data',
    'JSON would make an object of its bytes. Use base64 in a text, or an array of numbers.',
  ],
  [(value) => value instanceof URLSearchParams, 'a URLSearchParams', `${LOSES} Use its text, or Object.fromEntries.`],
];

/**
 * Why JSON cannot hold this object; undefined if it can. An object with a toJSON method decides itself; a Date is held unless it is invalid. Of other
 * objects of a class JSON keeps the enumerable properties, so one that has none is refused: its handler would get `{}`.
 */
function whyUnheld(value: object): Unheld | undefined {
  if (types.isDate(value) && Number.isNaN(value.getTime())) {
    return { what: new Described('an invalid Date'), fix: 'JSON would make null of it. Check the text that it was made of.' };
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined;
  const kind = KINDS.find(([is]) => is(value));
  if (kind !== undefined) return { what: new Described(kind[1]), fix: kind[2] };
  if (Array.isArray(value) || isPlain(value) || types.isBoxedPrimitive(value) || Object.keys(value).length > 0) return undefined;
  return { what: new Described('an object of a class'), fix: `${LOSES} Use a plain object with the data that the handler needs.` };
}

/** An object literal, also one of another realm or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
