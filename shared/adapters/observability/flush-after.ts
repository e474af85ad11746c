type Anything = (...given: readonly unknown[]) => unknown;

/**
 * Wraps verbs so that each ends only after `flush`: a producer that is frozen right after its verb would delay events.
 * What a verb gives that has verbs of its own, such as what `prepare` returns, is treated alike.
 */
export function flushAfter<Verbs extends object>(verbs: Verbs, flush: () => Promise<void>): Verbs {
  return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, after(verb, flush)])) as Verbs;
}

function after(value: unknown, flush: () => Promise<void>): unknown {
  if (typeof value === 'function') return (...given: readonly unknown[]) => after((value as Anything)(...given), flush);
  if (value instanceof Promise) return ended(value, flush);
  return hasVerbs(value) ? flushAfter(value, flush) : value;
}

async function ended(verb: Promise<unknown>, flush: () => Promise<void>): Promise<unknown> {
  try {
    return after(await verb, flush);
  } finally {
    await flush();
  }
}

function hasVerbs(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).some((one) => typeof one === 'function');
}
