import { InvalidConfigurationError, InvalidInputError, shown } from '../job/errors.ts';
import { checkWorkerLease, FIRST_REDISPATCH_MS, visibilityTimeoutMs } from '../job/lease.ts';
import { checkWorkerName } from '../job/names.ts';
import type { Settings } from './settings.ts';

export { missingPackage } from '../job/errors.ts';

/** Refuses a deployment before it is made: names the field, what is wrong with it, and the fix. */
export function refuse(field: string, problem: string): never {
  throw new InvalidConfigurationError(`${field}: ${problem}`);
}

/** Runs a check of settings, whose errors begin with the prop, and puts the path of the settings before it. */
export function withPath<Result>(field: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof InvalidConfigurationError ? new InvalidConfigurationError(`${field}.${error.message}`) : error;
  }
}

/** A value as a refusal shows it: short and on one line. */
export function shownValue(value: unknown): string {
  return shown(value);
}

/** Refuses worker names that could not be part of a queue's name, and those in `reserved`. */
export function checkWorkerNames(names: readonly string[], reserved: readonly string[], field?: string): void {
  if (names.length === 0) refuse('workers', 'there is none. Name at least one, such as default.');
  for (const name of names) {
    if (reserved.includes(name)) refuse(field ?? `workers.${name}`, 'this name is reserved. Use another.');
    try {
      checkWorkerName(name, field ?? `workers.${name}`);
    } catch (error) {
      throw error instanceof InvalidInputError ? new InvalidConfigurationError(error.message) : error;
    }
  }
}

/** How long a message stays invisible after it was received, in milliseconds: longer than any lease. */
export function queueVisibilityMs(queue: 'standard' | 'fifo', settings: Settings, outside = false): number {
  const { executorTimeoutMs, leaseMarginMs, workerLeaseMs } = settings;
  // Outside Lambda the margin is part of the lease, which is renewed before it begins.
  return visibilityTimeoutMs(queue, outside ? workerLeaseMs - leaseMarginMs : executorTimeoutMs, leaseMarginMs);
}

/** Refuses settings under which a worker outside Lambda could not keep its leases. */
export function checkOutsideSettings(settings: Settings): void {
  checkWorkerLease(settings);
}

/**
 * Refuses a first redispatch within the time in which a producer that was frozen may still put its job again. The local region,
 * whose producers do not freeze, may be faster.
 */
export function checkFirstRedispatch({ firstRedispatchAfterMs }: Settings, field: string): void {
  if (firstRedispatchAfterMs >= FIRST_REDISPATCH_MS) return;
  const least = FIRST_REDISPATCH_MS / 60_000;
  refuse(
    field,
    `${firstRedispatchAfterMs} ms is less than the ${least} minutes for which a frozen producer may still put its job. Use ${least} minutes or more.`,
  );
}

/** Refuses a value that is none of the choices: JavaScript has no types that would. */
export function checkChoice(field: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  refuse(field, `${shown(value)} is not one of ${choices.join(', ')}.`);
}

/**
 * Refuses a horizon within which a timer could be fired while its producer may still be writing it: a put that is repeated after a
 * lost reply would restore it while its job exists, or after it. The local region, which loses no replies, may use less.
 */
export function checkDelayHorizon({ delayHorizonMs, horizonMs }: Settings, delayHorizon: string, horizon: string): void {
  if (delayHorizonMs >= horizonMs + FIRST_REDISPATCH_MS) return;
  const least = FIRST_REDISPATCH_MS / 60_000;
  refuse(
    delayHorizon,
    `${delayHorizonMs} ms is less than ${horizon} (${horizonMs} ms) and the ${least} minutes for which a frozen producer may still put its timer. Use a longer ${delayHorizon} (at most 15 minutes) or a shorter ${horizon}.`,
  );
}

/** How much later than planned a tick may come. */
const TICK_LATENESS_MS = 60_000;

/**
 * Refuses a horizon that does not reach past a late and a missed tick: a timer in between would fire late. The local region, whose
 * ticks come every second, keeps another measure.
 */
export function checkHorizon({ horizonMs, acquirerIntervalMs }: Settings, horizon: string, acquirerInterval: string): void {
  const leastMs = 2 * acquirerIntervalMs + TICK_LATENESS_MS;
  if (horizonMs >= leastMs) return;
  const minutes = (ms: number): string => (ms === 60_000 ? '1 minute' : `${ms / 60_000} minutes`);
  // Intervals are whole minutes.
  const longestMs = Math.floor((horizonMs - TICK_LATENESS_MS) / 2 / 60_000) * 60_000;
  const shorter = longestMs > 0 ? `, or ${acquirerInterval} of ${minutes(longestMs)} or less` : '';
  refuse(
    horizon,
    `${horizonMs} ms is less than twice ${acquirerInterval} (${minutes(acquirerIntervalMs)}) and a minute: a timer would fire late when one tick is late and the next is missed. Use ${horizon} of ${minutes(leastMs)} or more${shorter}.`,
  );
}
