import { ReadStoppedError, readsAreStopped } from '../shared/admin/read-until.ts';

interface Kept {
  readonly at: number;
  readonly value: Promise<unknown>;
}

/** Begin of the keys of what was counted to act on. */
export const COUNTS = 'counted ';

const kept = new WeakMap<object, Map<string, Kept>>();

interface Asked {
  readonly owner: object;
  readonly key: string;
  readonly ttlMs: number;
  readonly now: number;
}

/**
 * What `load` gave for this owner and key within the last `ttlMs`: pages that refresh every few seconds must not read large ranges each
 * time. What failed is not kept. A load ends with the request that began it; whoever else waits for it begins it again.
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

/** Drops what is kept for this owner under keys that begin so. */
export function forget(owner: object, beginning: string): void {
  const mine = kept.get(owner);
  for (const key of mine?.keys() ?? []) if (key.startsWith(beginning)) mine?.delete(key);
}
