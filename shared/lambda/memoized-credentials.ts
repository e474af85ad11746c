import type { Clock } from '../ports/clock.ts';

/** Keys as the SDK takes them. */
export interface LambdaCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** New keys are fetched before then. */
  readonly expiration?: Date;
  readonly credentialScope?: string;
  readonly accountId?: string;
}

/** New keys are fetched when the old ones have less left. */
export const REFRESH_MS = 5 * 60_000;
/** With less left a request waits for new keys: the old ones could end before it arrives. */
const WAIT_MS = 15_000;
/** After a failed refresh, the source is not asked again by each request. */
const PAUSE_MS = 1_000;

/**
 * Caches the result of `find`: forever without an expiration, otherwise until new keys are there, which are fetched in the background.
 * One fetch at a time, shared by all callers. Rejects as `find` does if there are no unexpired keys.
 */
export function memoizedCredentials(
  find: () => Promise<LambdaCredentials>,
  clock: Clock,
): (options?: { readonly forceRefresh?: boolean }) => Promise<LambdaCredentials> {
  let keys: LambdaCredentials | undefined;
  let underWay: Promise<LambdaCredentials> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const refreshed = async (): Promise<LambdaCredentials> => {
    askedAt = clock.now();
    underWay ??= find()
      .then((found) => (keys = found))
      .finally(() => (underWay = undefined));
    return underWay;
  };
  return async (options) => {
    if (keys === undefined || options?.forceRefresh === true) return refreshed();
    const left = msLeft(keys, clock.now());
    if (left >= REFRESH_MS) return keys;
    if (left > WAIT_MS) {
      if (clock.now() - askedAt >= PAUSE_MS) void refreshed().catch(() => {});
      return keys;
    }
    try {
      return await refreshed();
    } catch (error) {
      if (msLeft(keys, clock.now()) <= 0) throw error;
      return keys;
    }
  };
}

function msLeft({ expiration }: LambdaCredentials, now: number): number {
  const end = expiration?.getTime() ?? Number.NaN;
  return Number.isNaN(end) ? Number.POSITIVE_INFINITY : end - now;
}
