import { Described, InvalidInputError, kindOf, NightcrewError, PayloadTooLargeError } from './errors.ts';
import { LIMITS, utf8Bytes } from './size-limits.ts';
import { whyUnheld } from './unheld.ts';

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
