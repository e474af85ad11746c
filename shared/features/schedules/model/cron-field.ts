import { InvalidInputError, shown } from '../../../job/errors.ts';

/** The n-th weekday of a month, or its last. */
export interface NthDay {
  readonly day: number;
  readonly nth: number | 'last';
}

/** One field of a cron expression. `any`: it was `*` or `?`, so it restricts nothing. */
export interface CronField {
  readonly any: boolean;
  readonly values: readonly number[];
  /** `L` as day of month. */
  readonly last: boolean;
  readonly nth: readonly NthDay[];
}

/** What a field may hold. */
export interface FieldRules {
  /** The option that is named in errors, and which part of it. */
  readonly field: string;
  readonly name: string;
  readonly range: readonly [number, number];
  /** Names of the values, from the first of the range on. */
  readonly names: readonly string[];
  /** `L` is allowed. */
  readonly last?: boolean;
  /** `MON#2` and `FRIL` are allowed, and 7 is Sunday. */
  readonly nth?: boolean;
}

/** Names of the days, from 0 on. */
export const DAY_OF_WEEK: readonly string[] = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Reads one field in capitals: lists of values, ranges and steps, and the extras that its rules allow. */
export function parseField(text: string, rules: FieldRules): CronField {
  const values = new Set<number>();
  const nth: NthDay[] = [];
  let last = false;
  for (const part of text.split(',')) {
    const special = rules.nth === true ? /^(\w+?)(?:#([1-5])|L)$/.exec(part) : null;
    if (rules.last === true && part === 'L') last = true;
    else if (special) nth.push({ day: valueOf(special[1] ?? '', rules) % 7, nth: special[2] === undefined ? 'last' : Number(special[2]) });
    else for (const value of parseRange(part, rules)) values.add(rules.nth === true ? value % 7 : value);
  }
  return { any: text === '*' || text === '?', values: [...values].toSorted((a, b) => a - b), last, nth };
}

function parseRange(part: string, rules: FieldRules): readonly number[] {
  const match = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(part);
  const [, first = '', second, stepText] = match ?? [];
  const all = first === '*' || first === '?';
  if (match === null || (all && second !== undefined)) throw refused(part, rules);
  const [least, most] = rules.range;
  const from = all ? least : valueOf(first, rules);
  const end = second === undefined ? (stepText === undefined && !all ? from : most) : valueOf(second, rules);
  // A week may end with Sunday, whose number is then 7.
  const through = rules.nth === true && end === 0 && from > 0 ? 7 : end;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1 || from > through) throw refused(part, rules);
  return Array.from({ length: Math.floor((through - from) / step) + 1 }, (_, index) => from + index * step);
}

function valueOf(text: string, rules: FieldRules): number {
  const [least, most] = rules.range;
  const named = rules.names.indexOf(text);
  const value = named >= 0 ? least + named : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw refused(text, rules);
  return value;
}

function refused(part: string, { field, name, range, names }: FieldRules): InvalidInputError {
  const also = names.length > 0 ? `, or ${names[0] ?? ''} to ${names.at(-1) ?? ''}` : '';
  return new InvalidInputError(field, part, `In ${name} use ${range[0]} to ${range[1]}${also}, with , - and /, not ${shown(part)}.`);
}
