import { type Duration, durationMs, isoDuration } from './duration.ts';
import { Described, InvalidInputError } from './errors.ts';
import { checkOptions } from './names.ts';

/** When a failed job is tried again. `tries` counts executions, the first one included. */
export type RetryPolicy =
  | { readonly kind: 'intervals'; readonly tries: number; readonly intervalsMs: readonly number[] }
  | { readonly kind: 'exponential'; readonly tries: number; readonly baseMs: number; readonly factor: number; readonly maxMs: number };

/**
 * A policy as users write it: `R5/PT5M` (five executions), `PT10M,PT17M,PT20M` (four), `R9/PT10M,PT17M,PT20M` (nine; the
 * last interval repeats), `exponential(tries=3,base=PT10S,factor=2,max=PT1H)`, `never`, or a policy object.
 */
export type RetryInput = string | RetryPolicy;

/** Three tries, exponential with full jitter from 10 s. */
export const DEFAULT_RETRY: RetryPolicy = { kind: 'exponential', tries: 3, baseMs: 10_000, factor: 2, maxMs: 3_600_000 };

const MAX_TRIES = 1_000_000;
const MAX_INTERVALS = 100;
const FORMS = 'Use R5/PT5M, a list such as PT10M,PT17M,PT20M, exponential(tries=3,base=PT10S,max=PT1H), or never.';

/** An exponential policy with full jitter: the n-th delay is uniform between 0 and `min(max, base * factor^(n-1))`. */
export function exponential(
  options: { readonly tries?: number; readonly base?: Duration; readonly factor?: number; readonly max?: Duration } = {},
): RetryPolicy {
  checkOptions(options, ['tries', 'base', 'factor', 'max'], 'retry');
  return checked(
    {
      kind: 'exponential',
      tries: options.tries ?? DEFAULT_RETRY.tries,
      baseMs: durationMs(options.base ?? 10_000, 'retry.base'),
      factor: options.factor ?? 2,
      maxMs: durationMs(options.max ?? 3_600_000, 'retry.max'),
    },
    'retry',
  );
}

const POLICY_FIELDS = {
  intervals: ['kind', 'tries', 'intervalsMs'],
  exponential: ['kind', 'tries', 'baseMs', 'factor', 'maxMs'],
} as const;

function checked(policy: RetryPolicy, field: string): RetryPolicy {
  checkOptions(policy, POLICY_FIELDS[policy.kind], field);
  if (!Number.isInteger(policy.tries) || policy.tries < 1 || policy.tries > MAX_TRIES) {
    throw new InvalidInputError(`${field}.tries`, policy.tries, `Use a whole number from 1 to ${MAX_TRIES}.`);
  }
  if (policy.kind === 'intervals') {
    const count = Array.isArray(policy.intervalsMs) ? policy.intervalsMs.length : 0;
    if (count < 1 || count > MAX_INTERVALS)
      throw new InvalidInputError(field, new Described(`${count} intervals`), `Use 1 to ${MAX_INTERVALS} intervals.`);
    return { kind: 'intervals', tries: policy.tries, intervalsMs: policy.intervalsMs.map((interval) => durationMs(interval, field)) };
  }
  if (!(typeof policy.factor === 'number' && policy.factor >= 1 && policy.factor <= 100)) {
    throw new InvalidInputError(`${field}.factor`, policy.factor, 'Use a factor from 1 to 100.');
  }
  return { ...policy, baseMs: durationMs(policy.baseMs, `${field}.base`), maxMs: durationMs(policy.maxMs, `${field}.max`) };
}

/** Reads a policy; `field` names it in the error. */
export function parseRetryPolicy(input: RetryInput, field = 'retry'): RetryPolicy {
  if (typeof input !== 'string') {
    const known = typeof input === 'object' && input !== null && (input.kind === 'intervals' || input.kind === 'exponential');
    if (!known) throw new InvalidInputError(field, input, FORMS);
    return checked(input, field);
  }
  const text = input.replaceAll(' ', '');
  if (text.length > 4096) throw new InvalidInputError(field, input, FORMS);
  if (text === 'never') return { kind: 'intervals', tries: 1, intervalsMs: [0] };
  const repetition = /^R(\d{1,7})\/(.+)$/.exec(text);
  if (repetition) {
    return checked({ kind: 'intervals', tries: Number(repetition[1]), intervalsMs: intervals(repetition[2] ?? '', field) }, field);
  }
  const call = /^exponential\(([^()]*)\)$/.exec(text);
  if (call) return parseExponential(call[1] ?? '', field);
  if (!text.startsWith('P')) throw new InvalidInputError(field, input, FORMS);
  const intervalsMs = intervals(text, field);
  return checked({ kind: 'intervals', tries: intervalsMs.length + 1, intervalsMs }, field);
}

function intervals(list: string, field: string): readonly number[] {
  return list.split(',').map((part) => durationMs(part, field));
}

function parseExponential(args: string, field: string): RetryPolicy {
  const pairs = args === '' ? [] : args.split(',').map((pair) => pair.split('=', 2));
  const given = new Map(pairs.map(([name = '', value]): [string, string | undefined] => [name, value]));
  for (const [name, value] of given) {
    if (!['tries', 'base', 'factor', 'max'].includes(name) || value === undefined) throw new InvalidInputError(field, name, FORMS);
  }
  return checked(
    {
      kind: 'exponential',
      tries: Number(given.get('tries') ?? DEFAULT_RETRY.tries),
      baseMs: durationMs(given.get('base') ?? 'PT10S', field),
      factor: Number(given.get('factor') ?? 2),
      maxMs: durationMs(given.get('max') ?? 'PT1H', field),
    },
    field,
  );
}

/** The text that `parseRetryPolicy` reads back to the same policy: how a policy is stored in a row. */
export function formatRetryPolicy(policy: RetryPolicy): string {
  if (policy.kind === 'exponential') {
    return `exponential(tries=${policy.tries},base=${isoDuration(policy.baseMs)},factor=${policy.factor},max=${isoDuration(policy.maxMs)})`;
  }
  const list = policy.intervalsMs.map(isoDuration).join(',');
  const plainList = policy.intervalsMs.length > 1 && policy.tries === policy.intervalsMs.length + 1;
  return plainList ? list : `R${policy.tries}/${list}`;
}

/**
 * Delay before the next try after the `failures`-th failure, or undefined when the tries are used up.
 * `random` is uniform in [0, 1). Past the end of the list the last interval repeats; Camunda 7 repeats the first.
 */
export function retryDelayMs(policy: RetryPolicy, failures: number, random: number): number | undefined {
  if (failures >= policy.tries) return undefined;
  if (policy.kind === 'intervals') {
    return policy.intervalsMs[Math.min(failures, policy.intervalsMs.length) - 1] ?? 0;
  }
  // Finite, because a base of zero times infinity is no number.
  const growth = Math.min(policy.factor ** (failures - 1), Number.MAX_VALUE);
  const cap = Math.min(policy.maxMs, policy.baseMs * growth);
  return Math.floor(random * cap);
}
