import { ReadStoppedError, readsAreStopped } from '../operate/read-until.ts';

interface Kept {
  readonly at: number;
  readonly value: Promise<unknown>;
}

/** Prefix of the keys of counts before actions. */
export const COUNTS = 'counted ';

const kept = new WeakMap<object, Map<string, Kept>>();

interface Asked {
  readonly owner: object;
  readonly key: string;
  readonly ttlMs: number;
  readonly now: number;
}

/**
 * Caches the result of `load` for this owner and key for `ttlMs`: pages that refresh every few seconds must not read large ranges each
 * time. Failures are not cached. A load ends with the request that started it; other waiting requests start it again.
 */
export async function remembered<Value>(asked: Asked, load: () => Promise<Value>): Promise<Value> {
  const { owner, key, ttlMs, now } = asked;
  const mine = kept.get(owner) ?? new Map<string, Kept>();
  kept.set(owner, mine);
  const known = mine.get(key);
  const isFresh = known !== undefined && now >= known.at && now - known.at < ttlMs;
  const value = isFresh ? (known.value as Promise<Value>) : load();
  if (!isFresh) mine.set(key, { at: now, value });
  try {
    return await value;
  } catch (error) {
    if (mine.get(key)?.value === value) mine.delete(key);
    if (isFresh && error instanceof ReadStoppedError && !readsAreStopped()) return remembered(asked, load);
    throw error;
  }
}

/** Drops this owner's cached values whose keys have the prefix. */
export function forget(owner: object, beginning: string): void {
  const mine = kept.get(owner);
  for (const key of mine?.keys() ?? []) if (key.startsWith(beginning)) mine?.delete(key);
}
