import { InvalidInputError } from '../../shared/core/errors.ts';
import { visible } from './visible-text.ts';

/** A payload as it is shown: pretty, keys sorted, numbers digit by digit as they lie there. */
export interface PayloadText {
  readonly text: string;
  /** A field was hidden, by its name. */
  readonly hidden: boolean;
  /** False: no JSON, or nested too deep to read. */
  readonly readable: boolean;
}

/** What stands in the place of a hidden field. */
export const HIDDEN = '[redacted]';

// In V8 since Node 21, not yet in TypeScript's library: numbers keep the digits that they were written with.
const exactJson = JSON as unknown as {
  rawJSON(text: string): object;
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
};

/** Numbers are never read as floats; `redact` names fields, whatever the case of their letters and however deep they lie. */
export function payloadText(json: string, redact: readonly string[]): PayloadText {
  const names = new Set(redact.map((name) => name.toLowerCase()));
  let hidden = false;
  try {
    const value = exactJson.parse(json, function (this: unknown, key, child, { source }) {
      if (!Array.isArray(this) && names.has(key.toLowerCase())) {
        hidden = true;
        return HIDDEN;
      }
      if (typeof child === 'number' && source !== undefined) return exactJson.rawJSON(source);
      return sorted(child);
    });
    return { text: visible(JSON.stringify(value, null, 2)), hidden, readable: true };
  } catch {
    // Unreadable text cannot be searched for fields either.
    return { text: names.size === 0 ? visible(json) : HIDDEN, hidden: names.size > 0, readable: false };
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRaw(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // `__proto__` is a key like any other here.
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}

/** The value of what an operator typed; fields left hidden get back what lies in the stored payload. */
export function editedPayload(text: unknown, stored: string | undefined, redact: readonly string[]): unknown {
  if (typeof text !== 'string') throw new InvalidInputError('payload', text, 'Give the payload as JSON text.');
  let value: unknown;
  try {
    value = exactJson.parse(text, (_key, child, { source }) => {
      if (typeof child === 'number' && source !== undefined) checkDigits(child, source);
      return child;
    });
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    throw new InvalidInputError('payload', text, `This is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}.`, { cause });
  }
  if (redact.length === 0) return value;
  return unhidden(
    value,
    stored === undefined ? undefined : (JSON.parse(stored) as unknown),
    new Set(redact.map((name) => name.toLowerCase())),
  );
}

/** An edit must not change a number that it did not mean: what a double cannot hold would come out as another one. */
function checkDigits(value: number, source: string): void {
  const digits = (text: string) => text.replace(/^-/, '').replace(/e.*$/i, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  if (Number.isFinite(value) && digits(String(value)) === digits(source)) return;
  throw new InvalidInputError(
    'payload',
    source,
    'This number does not survive as a JavaScript number. Put it in quotes, or redrive without an edit.',
  );
}

function unhidden(value: unknown, stored: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((child, index) => unhidden(child, Array.isArray(stored) ? stored[index] : undefined, names));
  const before = typeof stored === 'object' && stored !== null ? stored : {};
  const entries = Object.entries(value).map(([name, child]): [string, unknown] => {
    const had = Object.hasOwn(before, name);
    const old = (before as Readonly<Record<string, unknown>>)[name];
    if (child !== HIDDEN || !names.has(name.toLowerCase())) return [name, unhidden(child, old, names)];
    if (had) return [name, old];
    throw new InvalidInputError(
      `payload.${name}`,
      child,
      'This field is hidden here and was not there before: give it a value or take it out.',
    );
  });
  return Object.fromEntries(entries);
}
