interface Kept {
  readonly at: number;
  readonly value: Promise<unknown>;
}

/** Begin of the keys of what was counted to act on. */
export const COUNTS = 'counted ';

const kept = new WeakMap<object, Map<string, Kept>>();

/**
 * What `load` gave for this owner and key within the last `ttlMs`: pages that refresh every few seconds must not read large ranges each
 * time. What failed is not kept.
 */
export async function remembered<Value>(
  { owner, key, ttlMs, now }: { readonly owner: object; readonly key: string; readonly ttlMs: number; readonly now: number },
  load: () => Promise<Value>,
): Promise<Value> {
  const mine = kept.get(owner) ?? new Map<string, Kept>();
  kept.set(owner, mine);
  const known = mine.get(key);
  if (known !== undefined && now >= known.at && now - known.at < ttlMs) return known.value as Promise<Value>;
  const value = load();
  mine.set(key, { at: now, value });
  try {
    return await value;
  } catch (error) {
    if (mine.get(key)?.value === value) mine.delete(key);
    throw error;
  }
}

/** Drops what is kept for this owner under keys that begin so. */
export function forget(owner: object, beginning: string): void {
  const mine = kept.get(owner);
  for (const key of mine?.keys() ?? []) if (key.startsWith(beginning)) mine?.delete(key);
}
