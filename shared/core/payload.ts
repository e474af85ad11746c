import { InvalidInputError, PayloadTooLargeError } from './errors.ts';
import { LIMITS, utf8Bytes } from './limits.ts';

/** Keys that could change the prototype of objects when a payload is merged: `constructor` only on the way to `prototype`. */
function isHostile(name: string, child: unknown): boolean {
  return (
    name === '__proto__' || (name === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype'))
  );
}

/** JSON text of a payload; refuses what JSON cannot hold, hostile keys, and what is too large, deep or wide. */
export function encodePayload(payload: unknown): string {
  checkShape(payload);
  const json = stringify(payload);
  if (json === undefined) throw new InvalidInputError('payload', payload, 'Give a value that JSON can hold; for no payload give {}.');
  const bytes = utf8Bytes(json);
  if (bytes > LIMITS.payloadBytes) throw new PayloadTooLargeError(bytes, LIMITS.payloadBytes);
  return json;
}

function stringify(payload: unknown): string | undefined {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    throw new InvalidInputError(
      'payload',
      payload,
      'JSON.stringify threw on it, perhaps in a toJSON method or a getter. Give plain data.',
      { cause },
    );
  }
}

/** The value of a stored payload; a JSON error or a hostile key is an error, never a changed prototype. */
export function decodePayload(json: string): unknown {
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch (cause) {
    throw new InvalidInputError('payload', '(stored text)', 'The stored payload is not JSON. Edit it before a redrive.', { cause });
  }
  checkShape(payload);
  return payload;
}

/** Walks with a list of its own, so that depth cannot overflow the stack. */
function checkShape(payload: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: payload, path: 'payload', depth: 0 }];
  let keys = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new InvalidInputError(path, value, 'JSON holds no NaN or Infinity. Use null or a text.');
    }
    if (typeof value === 'bigint') throw new InvalidInputError(path, value, 'JSON holds no bigint. Use a text.');
    if (typeof value !== 'object' || value === null) continue;
    if (value instanceof Map || value instanceof Set) {
      throw new InvalidInputError(path, value instanceof Map ? 'Map' : 'Set', 'JSON would keep nothing of it. Use an array or an object.');
    }
    if (depth >= LIMITS.payloadDepth) {
      throw new InvalidInputError('payload', '(nested value)', `Nest at most ${LIMITS.payloadDepth} levels and no circles.`);
    }
    for (const [name, child] of Object.entries(value)) {
      if (!Array.isArray(value) && isHostile(name, child)) {
        throw new InvalidInputError(path, name, 'Rename this key: it could change the prototype of objects.');
      }
      if (++keys > LIMITS.payloadKeys) {
        throw new InvalidInputError('payload', `${keys} keys`, `Use at most ${LIMITS.payloadKeys} keys and array entries.`);
      }
      open.push({ value: child, path: depth < 3 ? `${path}.${name.slice(0, 40)}` : path, depth: depth + 1 });
    }
  }
}
