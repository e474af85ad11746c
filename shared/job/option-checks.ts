import { InvalidInputError } from './errors.ts';
import { checkFlag, checkOptions } from './names.ts';

/** Refuses a wrong value of an option; `field` is its path. */
export type OptionCheck = (field: string, value: unknown) => void;

/** A check for each option of an interface: an option that is added later does not compile without one. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Calls the check of each option that is given. The caller has refused names that have none. */
export function checkValues(options: object, checks: Readonly<Record<string, OptionCheck>>, path = ''): void {
  for (const [name, value] of Object.entries(options)) if (value !== undefined) checks[name]?.(path + name, value);
}

/** Refuses what is no object of options, options that there are not, and wrong values. */
export function checkEachOption(options: unknown, checks: Readonly<Record<string, OptionCheck>>): void {
  checkOptions(options, Object.keys(checks), 'options');
  checkValues(options as object, checks);
}

/** The same for options within options; errors name them by their path. */
export function nested(checks: Readonly<Record<string, OptionCheck>>): OptionCheck {
  return (field, value) => {
    checkOptions(value, Object.keys(checks), field);
    checkValues(value as object, checks, `${field}.`);
  };
}

/** The same for each of the options that an object has by name; one that is undefined has its defaults. */
export function eachOf(check: OptionCheck, fix: string): OptionCheck {
  return (field, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidInputError(field, value, fix);
    for (const [name, one] of Object.entries(value)) if (one !== undefined) check(`${field}.${name}`, one);
  };
}

/** Refuses what is neither true nor false. */
export const checkSwitch: OptionCheck = (field, value) => void checkFlag(value, field);

/** For an option that is checked where it is used. */
export const checkedInUse: OptionCheck = () => {};

/** Refuses what is no function. */
export const checkFunction: OptionCheck = (field, value) => {
  if (typeof value !== 'function') throw new InvalidInputError(field, value, 'Give a function.');
};

/** A check of an array by the check of its entries. */
export function listOf(check: OptionCheck): OptionCheck {
  return (field, value) => {
    if (!Array.isArray(value)) throw new InvalidInputError(field, value, 'Give an array.');
    for (const [place, entry] of value.entries()) check(`${field}[${place}]`, entry);
  };
}

/** A check of an object that has these methods; `fix` says what to give. */
export function withMethods(methods: readonly string[], fix: string): OptionCheck {
  return (field, value) => {
    if (methods.some((name) => typeof Object(value)[name] !== 'function')) throw new InvalidInputError(field, value, fix);
  };
}
