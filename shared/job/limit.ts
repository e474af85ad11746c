import { defined } from './defined.ts';
import { type Duration, durationMs } from './duration.ts';
import { InvalidConfigurationError, InvalidInputError, shown } from './errors.ts';
import { joinParts, sha256 } from './hash.ts';
import type { JobInfo } from './job-info.ts';
import { checkOptions, checkText, checkTypeName } from './names.ts';

/** The maximum number of concurrent jobs, or of starts within any period of length `per`. */
export type LimitShape = { readonly concurrency: number } | { readonly rate: number; readonly per: Duration };

/** Splits a limit by key. The limit itself is `{ concurrency }`, or `{ rate, per }`: see docs/guides/limits.md. */
export interface LimitOptions<Payload> {
  /** Gives each key a limit of its own. A job without a key (undefined or an empty string) is not limited. At most 256 characters. */
  readonly key?: (payload: Payload, job: JobInfo) => string | undefined;
}

/** A limit on jobs of one or more types. One object is one limit, however many types and workers use it: its name is its identity. */
export interface Limit<Payload = unknown> extends LimitOptions<Payload> {
  readonly name: string;
  /** How many at once, or how many starts in a period. */
  readonly n: number;
  /** Length of a period in milliseconds; absent for a limit on how many run at once. */
  readonly perMs?: number;
}

/** Any limit, where the payload does not matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- a key takes the payload; only `any` accepts every one
export type AnyLimit = Limit<any>;

/** A limit with more slots would make each claim read too much. */
export const MAX_SLOTS = 100;
const MIN_PERIOD_MS = 1_000;

/**
 * Defines a limit for the `limits` of job types or of a worker. Throws InvalidInputError for a number of zero or above 100, and for
 * a period below a second.
 */
export function defineLimit<Payload = unknown>(name: string, shape: LimitShape, options: LimitOptions<Payload> = {}): Limit<Payload> {
  checkTypeName(name, 'name');
  checkOptions(shape, ['concurrency', 'rate', 'per'], 'limit');
  checkOptions(options, ['key'], 'options');
  const { concurrency, rate, per } = shape as { readonly concurrency?: number; readonly rate?: number; readonly per?: Duration };
  if ((concurrency === undefined) === (rate === undefined)) {
    throw new InvalidInputError('limit', shape, "Give either { concurrency: 5 } or { rate: 100, per: 'PT1M' }.");
  }
  if (concurrency !== undefined && per !== undefined) throw new InvalidInputError('per', per, 'Use it with rate, not with concurrency.');
  if (options.key !== undefined && typeof options.key !== 'function') {
    throw new InvalidInputError('key', options.key, 'Give a function of the payload and the job.');
  }
  const key = options.key === undefined ? {} : { key: options.key };
  if (concurrency !== undefined) return { name, n: checkCount(concurrency, 'concurrency'), ...key };
  const perMs = durationMs(per ?? Number.NaN, 'per');
  if (perMs < MIN_PERIOD_MS) throw new InvalidInputError('per', per, 'Use a second or more, such as PT1S: clocks differ.');
  return { name, n: checkCount(rate, 'rate'), perMs, ...key };
}

/** A whole number, 1 or more. */
export function checkCount(n: unknown, field: 'concurrency' | 'rate' | 'tenantConcurrency' | 'maxBacklog', most = MAX_SLOTS): number {
  if (Number.isSafeInteger(n) && Number(n) >= 1 && Number(n) <= most) return Number(n);
  const fix =
    Number(n) > most
      ? field === 'rate'
        ? `Use at most ${MAX_SLOTS}: give the same rate for a shorter period.`
        : `Use at most ${MAX_SLOTS}: for more, use the maxConcurrency of a worker or lane.`
      : 'Use a whole number, 1 or more. To stop jobs altogether, suspend their type.';
  throw new InvalidInputError(field, n, fix);
}

/** The cap that a worker puts on the running jobs of each tenant. Its name is none that a user could give. */
export function tenantLimit(worker: string, n: unknown): Limit {
  return { name: `tenant/${worker}`, n: checkCount(n, 'tenantConcurrency'), key: (_payload, job) => job.tenant };
}

/** Refuses what is no list of limits; `field` names it. */
export function checkLimits(limits: readonly AnyLimit[] | undefined, field = 'limits'): readonly AnyLimit[] {
  if (limits === undefined) return [];
  if (Array.isArray(limits) && limits.every((one) => typeof one?.name === 'string' && typeof one.n === 'number')) return limits;
  throw new InvalidInputError(field, limits, 'Give an array of limits, made by defineLimit.');
}

/** Two limits of one name would share their slots: throws InvalidConfigurationError when they disagree on the numbers. */
export function checkNames(limits: readonly AnyLimit[]): void {
  const byName = new Map<string, AnyLimit>();
  for (const limit of limits) {
    const other = byName.get(limit.name) ?? limit;
    if (other.n !== limit.n || other.perMs !== limit.perMs) {
      throw new InvalidConfigurationError(
        `limits: two limits are called ${shown(limit.name)} and have different numbers. Give one of them another name, or share one object.`,
      );
    }
    byName.set(limit.name, limit);
  }
}

/** A limit as it applies to one job; `hash` identifies its name and the job's key. */
export interface AppliedLimit {
  readonly hash: string;
  readonly name: string;
  readonly n: number;
  /** The number of the code, if `n` is the one in force, which an operator may have set. */
  readonly coded?: number;
  readonly perMs?: number;
}

/** A limit on starts in a period, as one job meets it. */
export type AppliedRate = AppliedLimit & { readonly perMs: number };

/**
 * What a job is up against: those without a key for this job left out, one of several that come to the same; by name, because all
 * jobs must take them in one order; rates last, because a start that was used up cannot be given back. Throws what a key throws,
 * and InvalidInputError for a key that is too long.
 */
export function appliedLimits(limits: readonly AnyLimit[], payload: unknown, job: JobInfo): readonly AppliedLimit[] {
  const applied = new Map<string, AppliedLimit>();
  for (const { name, n, perMs, key } of limits) {
    const text = key === undefined ? undefined : checkText(key(payload, job), `limits.${name}.key`);
    if (key !== undefined && text === undefined) continue;
    const hash = sha256(joinParts(text === undefined ? [name] : [name, text]));
    applied.set(hash, { hash, name, n, ...defined({ perMs }) });
  }
  const rank = ({ perMs }: AppliedLimit): number => (perMs === undefined ? 0 : 1);
  return [...applied.values()].toSorted(
    (a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.hash < b.hash ? -1 : 1),
  );
}
