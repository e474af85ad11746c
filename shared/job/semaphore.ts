/** No place is free, and as many wait as may. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** A semaphore with this many places, granted first come, first served. At most `waiting` callers wait; default: unlimited. */
export class Semaphore {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number, waiting: number = Number.POSITIVE_INFINITY) {
    this.#free = places;
    this.#mostWaiting = waiting;
  }

  /** Resolves when the caller has a place. Throws BusyError when too many wait already, and the signal's reason when it is aborted before that. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) return void this.#free--;
    if (this.#waiting.length >= this.#mostWaiting) throw new BusyError('Too many requests are waiting already.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (signal === undefined) return promise;
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp);
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  /** Passes the caller's place to the next in line. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
