import { type Duration, durationMs } from '../../shared/job/duration.ts';
import { InvalidInputError, kindOf } from '../../shared/job/errors.ts';
import { checkOptions } from '../../shared/job/names.ts';

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A field of a request: its schema in the OpenAPI document, and the check of what a caller sent. */
export interface Field<Value> {
  readonly schema: Schema;
  readonly optional: boolean;
  /** Throws InvalidInputError, which names `field`. */
  readonly read: (value: unknown, field: string) => Value;
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values of fields that were read. */
export type ValuesOf<Given extends Fields> = {
  readonly [Name in keyof Given]: Given[Name] extends Field<infer Value> ? Value : never;
};

/** A text of `minLength` to `maxLength` characters. */
export function text(description: string, maxLength = 256, minLength = 1): Field<string> {
  return {
    schema: { type: 'string', minLength, maxLength, description },
    optional: false,
    read(value, field) {
      if (typeof value === 'string' && value.length >= minLength && value.length <= maxLength) return value;
      throw new InvalidInputError(field, value, `Use a text of ${minLength} to ${maxLength} characters.`);
    },
  };
}

/** A whole number between two bounds, both included. */
export function wholeNumber(description: string, minimum: number, maximum: number): Field<number> {
  return {
    schema: { type: 'integer', minimum, maximum, description },
    optional: false,
    read(value, field) {
      if (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum) return Number(value);
      throw new InvalidInputError(field, value, `Use a whole number from ${minimum} to ${maximum}.`);
    },
  };
}

/** A length of time, read as milliseconds. */
export function duration(description: string): Field<number> {
  return {
    schema: { type: ['string', 'number'], description, examples: ['PT15M', 900_000] },
    optional: false,
    read: (value, field) => durationMs(value as Duration, field),
  };
}

/** Any JSON value; the verb that takes it checks the rest. `schema` says more about it. */
export function json(description: string, schema: Schema = {}): Field<unknown> {
  return {
    schema: { ...schema, description },
    optional: false,
    read(value, field) {
      if (value !== undefined) return value;
      throw new InvalidInputError(field, value, 'Give it: it is required.');
    },
  };
}

/** A list of at most `maxItems` entries. */
export function list<Value>(description: string, item: Field<Value>, maxItems: number): Field<readonly Value[]> {
  return {
    schema: { type: 'array', items: item.schema, maxItems, description },
    optional: false,
    read(value, field) {
      if (!Array.isArray(value)) throw new InvalidInputError(field, kindOf(value), 'Give an array.');
      if (value.length > maxItems) throw new InvalidInputError(field, value.length, `Give at most ${maxItems} entries.`);
      return value.map((entry, index) => item.read(entry, `${field}[${index}]`));
    },
  };
}

/** An object with these fields. */
export function record<Given extends Fields>(fields: Given): Field<ValuesOf<Given>> {
  return { schema: schemaOf(fields), optional: false, read: (value, field) => readFields(fields, value, field) };
}

/** A field that may be left out. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return { ...field, optional: true, read: (value, name) => (value === undefined ? undefined : field.read(value, name)) };
}

/** The schema of an object with these fields and no others. */
export function schemaOf(fields: Fields): Schema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => !field.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Reads the fields of an object; those of a body have no prefix. Throws InvalidInputError for one that is unknown, missing or wrong. */
export function readFields<Given extends Fields>(fields: Given, value: unknown, name = ''): ValuesOf<Given> {
  checkOptions(value, Object.keys(fields), name || 'body');
  const given = value as Readonly<Record<string, unknown>>;
  const path = (field: string): string => (name === '' ? field : `${name}.${field}`);
  return Object.fromEntries(Object.entries(fields).map(([field, { read }]) => [field, read(given[field], path(field))])) as ValuesOf<Given>;
}
