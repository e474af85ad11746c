import { TIMEOUTS } from '../../../../shared/adapters/aws/request-handler.ts';
import { brokenConnection } from '../../../../testing/faults/wire-errors.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import type { AttemptTerms, WireReply } from './wire-client.ts';

/** One attempt of the SDK as its process sees it: it ends by a reply, a broken connection, a timeout or an abort, whichever comes first. */
export class Attempt {
  readonly ended: Promise<WireReply>;
  readonly #time: VirtualTime;
  readonly #process: SimProcess;
  readonly #end: (step: () => WireReply | Error) => void;
  readonly #timeoutAt: number;

  constructor(time: VirtualTime, process: SimProcess, { requestTimeout = TIMEOUTS.requestMs, abortSignal }: AttemptTerms) {
    const { promise, resolve, reject } = Promise.withResolvers<WireReply>();
    const abort = (): void => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }));
    this.ended = promise;
    // A request that cannot be read is never carried, and its abort then concerns nobody.
    promise.catch(() => {});
    this.#time = time;
    this.#process = process;
    this.#timeoutAt = time.now + Math.min(TIMEOUTS.socketMs, requestTimeout);
    this.#end = (step) => {
      abortSignal?.removeEventListener('abort', abort);
      const result = step();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    if (abortSignal?.aborted) abort();
    else abortSignal?.addEventListener('abort', abort, { once: true });
  }

  /** Nothing comes back. */
  silence(): void {
    this.#process.timer(this.#timeoutAt - this.#time.now, () => this.#end(timeout));
  }

  /** A reply that arrives in `ms`, or too late. */
  answer(ms: number, reply: WireReply): void {
    this.#arrive(ms, () => reply);
  }

  /** The connection breaks in `ms`. */
  broken(ms: number, code: 'ECONNRESET' | 'ECONNREFUSED'): void {
    this.#arrive(ms, () => brokenConnection(code));
  }

  /** Whether something that arrives in `ms` still finds somebody waiting. */
  isInTime(ms: number): boolean {
    return this.#time.now + ms < this.#timeoutAt;
  }

  /** In a process that stood still meanwhile, the timer beats the reply that lies in the buffer. */
  #arrive(ms: number, step: () => WireReply | Error): void {
    if (!this.isInTime(ms)) return this.silence();
    this.#process.deliver(ms, () => this.#end(this.#time.now < this.#timeoutAt ? step : timeout));
  }
}

const timeout = (): Error => Object.assign(new Error('no reply in time'), { name: 'TimeoutError', code: 'ETIMEDOUT' });
