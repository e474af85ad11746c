import { types } from 'node:util';

// oxlint-disable-next-line no-control-regex -- what it takes out: breaks of lines, and what moves a terminal's cursor
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A text without what breaks lines or moves a terminal's cursor. */
export function onOneLine(text: string): string {
  return text.replace(CONTROL, ' ');
}

/** Words for a value that an error describes instead of showing it. */
export class Described {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The kind of a value, never its content: `a number`, `an array`. */
export function kindOf(value: unknown): Described {
  if (value === undefined || value === null) return new Described(String(value));
  if (typeof value === 'object') return new Described(!types.isProxy(value) && Array.isArray(value) ? 'an array' : 'an object');
  return new Described(`a ${typeof value}`);
}

/** A value as it may be shown in an error: short, on one line, never a whole payload. Objects are not turned into text: it could throw. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) {
    // A proxy may throw on any access.
    if (types.isProxy(value)) return 'an object';
    if (value instanceof Described) return onOneLine(value.text);
    return types.isDate(value) ? `Date ${value.getTime()}` : Array.isArray(value) ? 'an array' : 'an object';
  }
  const text = onOneLine(typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
