import { Described, InvalidInputError, kindOf, PayloadTooLargeError } from './errors.ts';
import { isRawNumber, parseExact } from './exact-json.ts';
import { decodePayload, encodePayload } from './payload.ts';
import { LIMITS, utf8Bytes } from './size-limits.ts';

/** A JSON merge patch (RFC 7396) of an object: each field gets its value, `null` removes it, and an object is merged into the one that is there. */
export type MergePatch = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** What RFC 7396 makes of a value and a patch. Neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

/** A copy of a patch, as JSON holds it. Throws InvalidInputError for one that would replace a payload as a whole, or change nothing. */
export function checkPatch(patch: unknown): MergePatch {
  const text = encodePayload(patch, 'patch');
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) {
    const fix = 'Give an object with the fields that change; null removes one. editPayload replaces a whole payload.';
    throw new InvalidInputError('patch', kindOf(value), fix);
  }
  if (Object.keys(value).length === 0) throw new InvalidInputError('patch', new Described('{}'), 'Name a field that changes.');
  const bytes = utf8Bytes(text);
  if (bytes > LIMITS.patchBytes) {
    const fix = `Use at most ${LIMITS.patchBytes} bytes of JSON. editPayload replaces a whole payload.`;
    throw new InvalidInputError('patch', new Described(`a patch of ${bytes} bytes`), fix);
  }
  return value;
}

/**
 * The payload with a patch applied, as JSON text: numbers that the patch does not name stay digit by digit. Undefined for a payload that is no
 * object, which RFC 7396 would replace. Throws InvalidInputError for a text that is no JSON, PayloadTooLargeError.
 */
export function patchedText(payload: string, patch: MergePatch, limit: number = LIMITS.payloadBytes): string | undefined {
  decodePayload(payload);
  const value = parseExact(payload);
  if (!isObject(value)) return undefined;
  const text = JSON.stringify(mergePatch(value, patch));
  const bytes = utf8Bytes(text);
  if (bytes > limit) throw new PayloadTooLargeError(bytes, limit);
  decodePayload(text);
  return text;
}
