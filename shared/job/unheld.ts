import { types } from 'node:util';
import { Described } from './errors.ts';

/** Why JSON cannot hold an object: what it is, and what to give instead. */
export interface Unheld {
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
export function whyUnheld(value: object): Unheld | undefined {
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
