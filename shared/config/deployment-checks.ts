import { InvalidConfigurationError, InvalidInputError, shown } from '../core/errors.ts';
import { FIRST_REDISPATCH_MS, visibilityTimeoutMs } from '../core/lease.ts';
import { checkWorkerName } from '../core/names.ts';
import type { Settings } from './settings.ts';

/** Refuses a deployment before it is made: names the field, what is wrong with it, and the fix. */
export function refuse(field: string, problem: string): never {
  throw new InvalidConfigurationError(`${field}: ${problem}`);
}

/** A value as a refusal shows it: short and on one line. */
export function shownValue(value: unknown): string {
  return shown(value);
}

/** Refuses worker names that could not be part of a queue's name, and those in `reserved`. */
export function checkWorkerNames(names: readonly string[], reserved: readonly string[]): void {
  if (names.length === 0) refuse('workers', 'there is none. Name at least one, such as default.');
  for (const name of names) {
    if (reserved.includes(name)) refuse(`workers.${name}`, 'this name is reserved. Use another.');
    try {
      checkWorkerName(name, `workers.${name}`);
    } catch (error) {
      throw error instanceof InvalidInputError ? new InvalidConfigurationError(error.message) : error;
    }
  }
}

/** How long a message stays invisible after it was received, in milliseconds: longer than any lease. */
export function queueVisibilityMs(queue: 'standard' | 'fifo', settings: Settings): number {
  return visibilityTimeoutMs(queue, settings.executorTimeoutMs, settings.leaseMarginMs);
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
