import { knownNames } from './closest-name.ts';
import { Described, InvalidInputError, kindOf } from './errors.ts';
import { LIMITS } from './size-limits.ts';

const TYPE_NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,127}$/;
const WORKER_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const HOSTILE = new Set(['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty']);

/** Refuses a job type that is not a plain name of letters, digits and `._:-`. */
export function checkTypeName(type: unknown, field = 'type'): string {
  if (typeof type === 'string' && TYPE_NAME.test(type) && !HOSTILE.has(type)) return type;
  throw new InvalidInputError(
    field,
    type,
    `Use a letter, then letters, digits or . _ : - (at most ${LIMITS.typeChars}), such as invoice.send.`,
  );
}

/** Refuses a worker or lane name that could not be part of a queue's name. */
export function checkWorkerName(name: unknown, field = 'worker'): string {
  if (typeof name === 'string' && WORKER_NAME.test(name) && !HOSTILE.has(name)) return name;
  throw new InvalidInputError(field, name, 'Use a lower-case letter, then letters, digits or - (at most 32), such as default.');
}

/**
 * A group, tenant, key or correlation id: a text of at most 256 characters. An empty string is none. What is refused may come from a payload, so the error
 * tells its kind only.
 */
export function checkText(text: unknown, field: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (typeof text !== 'string') throw new InvalidInputError(field, kindOf(text), 'Use a text.');
  if (text.length > LIMITS.nameChars) {
    throw new InvalidInputError(
      field,
      new Described(`${text.length} characters`),
      `Use at most ${LIMITS.nameChars} characters; hash longer values.`,
    );
  }
  if (!text.isWellFormed()) throw new InvalidInputError(field, kindOf(text), 'Use a string without lone surrogates (a cut emoji?).');
  if (HOSTILE.has(text)) throw new InvalidInputError(field, text, 'Use another string: this one names a property of every object.');
  return text;
}

/** A tenant, or undefined for `null`: none. An empty string is neither. */
export function checkTenantOrNull(tenant: unknown): string | undefined {
  const name = tenant === null ? undefined : checkText(tenant, 'tenant');
  if (tenant !== null && name === undefined) throw new InvalidInputError('tenant', tenant, 'Name the tenant, or give null for none.');
  return name;
}

/** A text that picks some rows of many. One that is empty is refused: a variable that was never set must not pick all of them. */
export function checkChosen(text: unknown, field: string): string | undefined {
  if (text !== '') return checkText(text, field);
  throw new InvalidInputError(field, text, 'Use a string of at least one character, or leave the field out.');
}

/** A priority: a whole number, higher first. */
export function checkPriority(priority: unknown, field = 'priority'): number {
  if (Number.isSafeInteger(priority)) return priority as number;
  throw new InvalidInputError(field, priority, 'Use a whole number; higher is more urgent, the default is 0.');
}

/** True, false or nothing. */
export function checkFlag(flag: unknown, field: string): boolean | undefined {
  if (flag === undefined || typeof flag === 'boolean') return flag;
  throw new InvalidInputError(field, flag, 'Use true or false.');
}

/** Refuses options that are no object, and names that are not among the known ones: a misspelt option would be ignored in silence. */
export function checkOptions(options: unknown, known: readonly string[], field: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidInputError(field, options, 'Give an object of options.');
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new InvalidInputError(field, name, knownNames(name, known));
  }
}
