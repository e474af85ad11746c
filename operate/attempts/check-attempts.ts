import type { AttemptOutcome } from '../../shared/job/attempt.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { sha256 } from '../../shared/job/hash.ts';
import { type Instant, instantMs } from '../../shared/job/instant.ts';
import { checkOptions } from '../../shared/job/names.ts';
import { type CheckedFilter, checkFilter, listOf, oneOf } from '../jobs/check-filter.ts';
import { ATTEMPT_ORDERS, type AttemptListOptions, type AttemptOrder } from './attempt-filter.ts';

/** What may become of an attempt, the usual first. */
export const ATTEMPT_OUTCOMES = [
  'completed',
  'retried',
  'dead-lettered',
  'lost-lease',
  'snoozed',
  'continued',
  'given-back',
  'cancelled',
  'unrecorded',
] as const satisfies readonly AttemptOutcome[];

/** The options of a list as they were checked: instants in milliseconds. */
export interface CheckedAttempts {
  readonly filter: CheckedFilter;
  readonly outcomes?: readonly AttemptOutcome[];
  readonly minRunMs: number;
  readonly from: number;
  readonly to: number;
  readonly dueFrom: number;
  readonly dueTo: number;
  readonly order: AttemptOrder;
  readonly limit: number;
  readonly maxReadUnits: number;
  /** Distinguishes the cursors of filters. Ignores times, which users give relative to now. */
  readonly mark: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A year and the longest retry: no page reads them all, but its cursor walks them. */
const MAX_DAYS = 400;
const MAX_MS = 366 * DAY_MS;
const MAX_UNITS = 1_000_000;
/** Fields that a filter of jobs has too, with the same meaning. */
const SHARED = ['type', 'worker', 'tenant', 'reason', 'errorName', 'fingerprint', 'hasError', 'text'] as const;
const KNOWN = [...SHARED, 'outcome', 'minRunMs', 'from', 'to', 'dueFrom', 'dueTo', 'order', 'limit', 'after', 'maxReadUnits'];

/** Checks what to list. Throws InvalidInputError, naming field, value and fix. */
export function checkAttempts(options: AttemptListOptions, now: number): CheckedAttempts {
  checkOptions(options, KNOWN, 'options');
  const shared = SHARED.map((name) => [name, options[name]] as const).filter(([, value]) => value !== undefined);
  const filter = checkFilter(Object.fromEntries(shared));
  const outcomes = listOf(options.outcome, 'outcome', (one) => oneOf(one, ATTEMPT_OUTCOMES, 'outcome'), ATTEMPT_OUTCOMES.length);
  const { order = 'newest-first', limit = 100, maxReadUnits = 1_000, minRunMs = 0 } = options;
  const range = checkRanges(options, now);
  return {
    filter,
    ...defined({ outcomes }),
    minRunMs: checkCount(minRunMs, 'minRunMs', { min: 0, max: MAX_MS }),
    ...range,
    order: oneOf(order, ATTEMPT_ORDERS, 'order'),
    limit: checkCount(limit, 'limit', { min: 1, max: 1_000 }),
    maxReadUnits: checkCount(maxReadUnits, 'maxReadUnits', { min: 1, max: MAX_UNITS }),
    mark: sha256(JSON.stringify([filter, outcomes, minRunMs, order])).slice(0, 8),
  };
}

function checkRanges(options: AttemptListOptions, now: number): Pick<CheckedAttempts, 'from' | 'to' | 'dueFrom' | 'dueTo'> {
  const at = (field: 'from' | 'to' | 'dueFrom' | 'dueTo', otherwise: number): number => {
    const given: Instant | undefined = options[field];
    return given === undefined ? otherwise : instantMs(given, field);
  };
  const to = at('to', now + 1);
  const from = at('from', to - DAY_MS);
  if (from >= to) throw new InvalidInputError('to', options.to, 'Use an instant after `from`.');
  const dueFrom = at('dueFrom', from - DAY_MS);
  const dueTo = at('dueTo', to + MINUTE_MS);
  if (dueFrom >= dueTo) throw new InvalidInputError('dueTo', options.dueTo, 'Use an instant after `dueFrom`.');
  if (dueTo - dueFrom > MAX_DAYS * DAY_MS) {
    const field = options.dueFrom === undefined ? 'from' : 'dueFrom';
    throw new InvalidInputError(field, options[field], `Read at most ${MAX_DAYS} days at a time.`);
  }
  return { from, to, dueFrom, dueTo };
}

function checkCount(count: number, field: string, { min, max }: { readonly min: number; readonly max: number }): number {
  if (Number.isSafeInteger(count) && count >= min && count <= max) return count;
  throw new InvalidInputError(field, count, `Use a whole number from ${min} to ${max}.`);
}
