import { InvalidInputError } from '../../shared/core/errors.ts';
import { strictJson } from '../../shared/core/strict-json.ts';
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
  const names = lowerCased(redact);
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
    strictJson(text);
    value = exactJson.parse(text, (_key, child, { source }) => {
      if (typeof child === 'number' && source !== undefined) checkDigits(child, source);
      return child;
    });
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    throw new InvalidInputError('payload', text, `This is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}.`, { cause });
  }
  if (redact.length === 0) return value;
  return unhidden(value, storedValue(stored), lowerCased(redact));
}

const lowerCased = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

/** A number of a stored payload that would come out as another one. */
class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** Undefined for a text that is no JSON: nothing can be kept of it. */
function storedValue(stored: string | undefined): unknown {
  if (stored === undefined) return undefined;
  try {
    return exactJson.parse(stored, (_key, child, { source }) =>
      typeof child === 'number' && source !== undefined && !holdsDigits(child, source) ? new Inexact(source) : child,
    );
  } catch {
    return undefined;
  }
}

/** An edit must not change a number that it did not mean: what a double cannot hold would come out as another one. */
function checkDigits(value: number, source: string): void {
  if (holdsDigits(value, source)) return;
  throw new InvalidInputError(
    'payload',
    source,
    'This number does not survive as a JavaScript number. Put it in quotes, or redrive without an edit.',
  );
}

function holdsDigits(value: number, source: string): boolean {
  const digits = (text: string) => text.replace(/^-/, '').replace(/e.*$/i, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Number.isFinite(value) && digits(String(value)) === digits(source);
}

function unhidden(value: unknown, stored: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return Array.isArray(stored) ? unhiddenList(value, stored, names) : value.map((child) => unhidden(child, undefined, names));
  const before = typeof stored === 'object' && stored !== null ? stored : {};
  const entries = Object.entries(value).map(([name, child]): [string, unknown] => {
    const had = Object.hasOwn(before, name);
    const old = (before as Readonly<Record<string, unknown>>)[name];
    if (child !== HIDDEN || !names.has(name.toLowerCase())) return [name, unhidden(child, old, names)];
    if (had) return [name, exact(old, name)];
    throw new InvalidInputError(
      `payload.${name}`,
      child,
      'This field is hidden here and was not there before: give it a value or take it out.',
    );
  });
  return Object.fromEntries(entries);
}

/** Entries are known by their place alone: after a change of places hidden fields would come to a stranger's entry. */
function unhiddenList(value: readonly unknown[], stored: readonly unknown[], names: ReadonlySet<string>): unknown {
  const keeping = value.flatMap((child, index) => (keepsHidden(child, names) ? [index] : []));
  const changed = keeping.filter((index) => shownText(value[index], names) !== shownText(stored[index], names));
  if (keeping.length > 0 && (value.length !== stored.length || changed.length > 1)) {
    throw new InvalidInputError(
      'payload',
      HIDDEN,
      'Entries of this list have hidden fields: keep their number and their order and change one of them at a time, or give every hidden field a value.',
    );
  }
  return value.map((child, index) => unhidden(child, stored[index], names));
}

function keepsHidden(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((child) => keepsHidden(child, names));
  return Object.entries(value).some(([name, child]) => (child === HIDDEN && names.has(name.toLowerCase())) || keepsHidden(child, names));
}

/** What of a value is seen, to compare by. */
function shownText(value: unknown, names: ReadonlySet<string>): string {
  return (
    JSON.stringify(value, function (this: unknown, key, child: unknown) {
      if (!Array.isArray(this) && names.has(key.toLowerCase())) return HIDDEN;
      return child instanceof Inexact ? { inexact: child.source } : sorted(child);
    }) ?? ''
  );
}

/** A hidden value goes back digit by digit, or not at all. */
function exact(value: unknown, name: string): unknown {
  if (value instanceof Inexact) {
    throw new InvalidInputError(
      `payload.${name}`,
      HIDDEN,
      'A number that is hidden here would not survive an edit: redrive without one, or give this field a value.',
    );
  }
  if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) exact(child, name);
  return value;
}

/** Any value as JSON on one line, with the fields hidden that `redact` names. */
export function hiddenJson(value: unknown, redact: readonly string[]): string {
  return shownText(value, lowerCased(redact));
}
