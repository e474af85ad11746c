import { InvalidInputError } from '../../shared/job/errors.ts';
import { holdsDigits, isRawNumber, parseJson, rawNumber, typedJson } from '../../shared/job/exact-json.ts';
import { visible } from './visible-text.ts';

/** A payload for display: indented, keys sorted, numbers digit by digit as stored. */
export interface PayloadText {
  readonly text: string;
  /** A field was hidden, by its name. */
  readonly hidden: boolean;
  /** False: no JSON, or nested too deep to read. */
  readonly readable: boolean;
}

/** Replaces a hidden value. */
export const HIDDEN = '[redacted]';

/** Numbers are never parsed as floats; `redact` names fields, case-insensitive and at any depth. */
export function payloadText(json: string, redact: readonly string[]): PayloadText {
  const names = lowerCased(redact);
  let hidden = false;
  try {
    const value = parseJson(json, function (this: unknown, key, child, { source }) {
      if (!Array.isArray(this) && names.has(key.toLowerCase())) {
        hidden = true;
        return HIDDEN;
      }
      if (typeof child === 'number' && source !== undefined) return rawNumber(source);
      return sorted(child);
    });
    return { text: visible(JSON.stringify(value, null, 2)), hidden, readable: true };
  } catch {
    // Unreadable text cannot be searched for fields either.
    return { text: names.size === 0 ? visible(json) : HIDDEN, hidden: names.size > 0, readable: false };
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // `__proto__` is a key like any other here.
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/** The value of an operator's input; fields left hidden keep their stored values. */
export function editedPayload(text: unknown, stored: string | undefined, redact: readonly string[], field = 'payload'): unknown {
  if (typeof text !== 'string') throw new InvalidInputError(field, text, `Give the ${field} as JSON text.`);
  const value = typedJson(text, field);
  return redact.length === 0 ? value : unhidden(value, storedValue(stored), lowerCased(redact));
}

const lowerCased = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

/** A number of a stored payload that a double cannot represent. */
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
    return parseJson(stored, (_key, child, { source }) =>
      typeof child === 'number' && source !== undefined && !holdsDigits(child, source) ? new Inexact(source) : child,
    );
  } catch {
    return undefined;
  }
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

/** Entries are identified by position: after a reorder, hidden values would go to the wrong entry. */
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

/** The visible part of a value, for comparison. */
function shownText(value: unknown, names: ReadonlySet<string>): string {
  return (
    JSON.stringify(value, function (this: unknown, key, child: unknown) {
      if (!Array.isArray(this) && names.has(key.toLowerCase())) return HIDDEN;
      return child instanceof Inexact ? { inexact: child.source } : sorted(child);
    }) ?? ''
  );
}

/** A hidden value is restored digit by digit, or refused. */
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
