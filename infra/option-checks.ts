import { Annotations, Duration, Size, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { closestName, knownNames } from '../shared/job/closest-name.ts';
import { checkValues, type OptionCheck, type OptionChecks } from '../shared/job/option-checks.ts';

/** An interface of props: a check for each, and words for errors. */
export interface PropsShape<Props> {
  /** Whose props they are, such as `a worker`. */
  readonly of: string;
  readonly example: string;
  readonly checks: OptionChecks<Props>;
}

/** Refuses what is no object of props, props that there are not, and wrong values. `path` is what stands before their names in errors. */
export function checkShape<Props>(field: string, props: unknown, { of, example, checks }: PropsShape<Props>, path = `${field}.`): void {
  if (!isRecord(props)) refuse(field, `${shownValue(props)} is no object with options of ${of}. Use ${example}.`);
  for (const name of Object.keys(props)) {
    if (!Object.hasOwn(checks, name)) refuse(path + name, `is no option of ${of}. ${knownNames(name, Object.keys(checks))}`);
  }
  checkValues(props, checks, path);
}

/** Options that are passed on to the CDK, of which a later version may have more. */
export interface PassedOn {
  readonly props: object;
  readonly known: object;
  readonly of: string;
}

/** Warns of options that there are not. */
export function warnOfUnknown(scope: IConstruct, field: string, { props, known, of }: PassedOn): void {
  for (const name of Object.keys(props)) {
    if (Object.hasOwn(known, name)) continue;
    const near = closestName(name, Object.keys(known));
    Annotations.of(scope).addWarningV2(
      `nightcrew:${field}.${name}`,
      `${field}.${name}: is no known option of ${of}, so the CDK may ignore it. ${near === undefined ? 'Check its name.' : `Did you mean ${near}?`}`,
    );
  }
}

/** Whether a value is an object with names of its own. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A check that refuses what is neither right nor a token of the CDK; `fix` says what to use. */
export function valid(isRight: (value: unknown) => boolean, fix: string): OptionCheck {
  return (field, value) => {
    if (!Token.isUnresolved(value) && !isRight(value)) refuse(field, `${shownValue(value)} is not valid. ${fix}`);
  };
}

/** Refuses what is neither true nor false. */
export const checkSwitch: OptionCheck = (field, value) => {
  if (typeof value !== 'boolean') refuse(field, `${shownValue(value)} is neither true nor false.`);
};

/** A check of a list by the check of its entries. */
export function listCheck(checkEntry: OptionCheck): OptionCheck {
  return (field, value) => {
    if (!Array.isArray(value)) refuse(field, `${shownValue(value)} is no list. Use [ ... ].`);
    for (const [place, entry] of value.entries()) checkEntry(`${field}[${place}]`, entry);
  };
}

/** Whether a value is a token of the CDK, or a duration or size made of one. */
export function isToken(value: unknown): boolean {
  return Token.isUnresolved(value) || ((value instanceof Duration || value instanceof Size) && value.isUnresolved());
}

/** A check of a duration above zero, of which `use` says why it must be known. */
export function durationCheck(example: string, use: string): OptionCheck {
  const fix = `Use a Duration above zero, such as ${example}.`;
  const check = valid((value) => value instanceof Duration && value.toMilliseconds() > 0, fix);
  return (field, value) => {
    if (isToken(value)) refuse(field, `it is only known when the app is deployed, and ${use}. ${fix}`);
    check(field, value);
  };
}

/** Whether a value is a text that is not empty. */
export function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Whether a value has a text under this name, as the constructs of the CDK have their names and ARNs. */
export function hasText(name: string): (value: unknown) => boolean {
  return (value) => typeof Object(value)[name] === 'string';
}

/** Whether a value has a method of this name. */
export function hasMethod(name: string): (value: unknown) => boolean {
  return (value) => typeof Object(value)[name] === 'function';
}
