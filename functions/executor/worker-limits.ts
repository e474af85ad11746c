import type { HandledJob } from '../../shared/job/job-type.ts';
import { type AnyLimit, checkLimits, checkNames, tenantLimit } from '../../shared/job/limit.ts';

/** Limits on the jobs of a worker, of all types. */
export interface LimitOptionsOfWorker {
  /** Limits on the jobs of this worker, in addition to those of their types. */
  readonly limits?: readonly AnyLimit[];
  /** How many jobs of a tenant may run at once on this worker, 1 to 100. Jobs without a tenant are not limited. */
  readonly tenantConcurrency?: number;
}

/**
 * The worker's own limits, if any. Throws InvalidConfigurationError if limits with the same name differ, here or in a
 * type, and InvalidInputError for invalid numbers.
 */
export function workerLimits(
  handlers: ReadonlyMap<string, HandledJob>,
  { limits, tenantConcurrency }: LimitOptionsOfWorker,
): { readonly limits?: readonly AnyLimit[] } {
  const types = [...handlers.values()].map(({ type }) => type);
  const tenants = tenantConcurrency === undefined ? [] : [tenantLimit(types[0]?.worker ?? 'default', tenantConcurrency)];
  const own = [...checkLimits(limits), ...tenants];
  checkNames([...own, ...types.flatMap((type) => type.limits)]);
  return own.length === 0 ? {} : { limits: own };
}
