import { Described, InvalidInputError } from './errors.ts';
import { jsonFault, strictJson } from './strict-json.ts';

// In V8 since Node 21, not yet in TypeScript's library: numbers keep the digits that they were written with.
const extended = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: Reviver): unknown;
};

/** What `JSON.parse` asks for each value; `source`: its text, for a value that is no object. */
export type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** `JSON.parse`, which tells the reviver how each number was written. */
export const parseJson = (text: string, reviver: Reviver): unknown => extended.parse(text, reviver);

/** A number as `JSON.stringify` writes it out, digit by digit. */
export const rawNumber = (source: string): object => extended.rawJSON(source);

/** Whether a value is one of `rawNumber`. */
export const isRawNumber = (value: unknown): boolean => extended.isRawJSON(value);

/** A JSON text whose numbers `JSON.stringify` writes as they are, also those that a double cannot represent. */
export function parseExact(text: string): unknown {
  return parseJson(text, (_key, child, { source }) => (typeof child === 'number' && source !== undefined ? rawNumber(source) : child));
}

/** Whether a double represents the number that was written. */
export function holdsDigits(value: number, source: string): boolean {
  const digits = (text: string) => text.replace(/^-/, '').replace(/e.*$/i, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Number.isFinite(value) && digits(String(value)) === digits(source);
}

/**
 * The value of JSON that a person typed. Throws InvalidInputError for a text that is ambiguous or would change a number: it names the field and what is wrong,
 * and no part of the text.
 */
export function typedJson(text: string, field: string): unknown {
  try {
    strictJson(text);
  } catch (cause) {
    const fault = jsonFault(cause);
    throw new InvalidInputError(field, new Described('the text'), `This is not JSON: ${fault}.`, { cause: new SyntaxError(fault) });
  }
  return parseJson(text, (_key, child, { source }) => {
    if (typeof child !== 'number' || source === undefined || holdsDigits(child, source)) return child;
    throw new InvalidInputError(
      field,
      new Described('a number in it'),
      'This number does not survive as a JavaScript number. Put it in quotes.',
    );
  });
}
