/** No turn is free, and enough wait for one. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Lets so many requests work at once: what reads tables must not be begun a thousand times by one tab that is reloaded in a hurry. */
export interface Turns {
  /** Waits for a turn and works. Throws BusyError when too many wait already, and the reason of a signal that was aborted while it waited. */
  run<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
}

/** Turns that nobody has taken yet. */
export function createTurns({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }): Turns {
  const queue: (() => void)[] = [];
  let busy = 0;
  const myTurn = async (signal: AbortSignal): Promise<void> => {
    if (busy < atOnce) return void busy++;
    if (queue.length >= waiting) throw new BusyError('Too many requests wait already.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = (): void => {
      queue.splice(queue.indexOf(resolve), 1);
      reject(signal.reason);
    };
    queue.push(resolve);
    signal.addEventListener('abort', gone, { once: true });
    // Whoever ends its turn has given it on: `busy` stays.
    await promise.finally(() => signal.removeEventListener('abort', gone));
  };
  return {
    async run(signal, work) {
      signal.throwIfAborted();
      await myTurn(signal);
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) busy--;
        else next();
      }
    },
  };
}
