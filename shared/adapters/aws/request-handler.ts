import { NodeHttpHandler } from '@smithy/node-http-handler';
import { systemClock } from '../system.ts';
import { Semaphore } from '../../job/semaphore.ts';

/**
 * Longest wait for a connection, for the next byte, and for one whole attempt, its reply read to the end. A large request has more
 * time: a second for each megabit.
 */
export const TIMEOUTS = { connectionMs: 1_000, socketMs: 3_000, requestMs: 5_000 } as const;

/** Connections of a client. Requests beyond these wait for a free one; their timeouts start afterwards. */
export const MAX_SOCKETS = 256;
// A megabit a second: below that a connection is as good as dead.
const UPLOAD_BYTES_PER_MS = 125;

/**
 * An HTTP handler whose every attempt ends. The SDK's own has no timeouts, and without `throwOnRequestTimeout` it only warns.
 * `silenceMs`: how long the service may send nothing; longer for long polls.
 */
export function timedRequestHandler(silenceMs: number = TIMEOUTS.socketMs): NodeHttpHandler {
  return new TimedHandler({
    connectionTimeout: TIMEOUTS.connectionMs,
    socketTimeout: silenceMs,
    requestTimeout: TIMEOUTS.requestMs,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: MAX_SOCKETS },
    httpsAgent: { maxSockets: MAX_SOCKETS },
  });
}

type Handle = NodeHttpHandler['handle'];

/** What a reply's body is in Node: a stream that can be broken off. */
interface Body {
  /** Everything has arrived, whether it was read or not. */
  readonly complete?: boolean;
  destroy(error: Error): void;
  once(event: 'close', listener: () => void): void;
}

/**
 * The SDK's request timeout ends with the head of the reply; this one holds until the body was read, however slowly it drips. The SDK's
 * connection timeout includes the wait for a pooled socket; here a request waits before its time runs.
 */
class TimedHandler extends NodeHttpHandler {
  readonly #sockets = new Semaphore(MAX_SOCKETS);

  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    const signal = options?.abortSignal;
    try {
      await this.#sockets.acquire(signal instanceof AbortSignal ? signal : undefined);
    } catch {
      // Aborted while it waited: the SDK's handler reports it in its own way, and sends nothing.
      return super.handle(request, options);
    }
    let free = (): void => this.#sockets.release();
    try {
      // Read once: it may be a getter that returns the remaining time.
      const requestTimeout = (options?.requestTimeout ?? TIMEOUTS.requestMs) + uploadMs(request.body);
      const endsAt = systemClock.now() + requestTimeout;
      const reply = await super.handle(request, { ...options, requestTimeout });
      const body = reply.response.body as Body;
      // A short reply comes with its head.
      if (body.complete === true) return reply;
      body.once('close', free);
      free = () => {};
      breakOffLate(body, requestTimeout, Math.min(requestTimeout, Math.max(0, endsAt - systemClock.now())));
      return reply;
    } finally {
      free();
    }
  }
}

function breakOffLate(body: Body, requestTimeout: number, leftMs: number): void {
  const late = AbortSignal.timeout(leftMs);
  const breakOff = (): void => {
    const message = `the reply was not read to its end within ${requestTimeout} ms`;
    body.destroy(Object.assign(new Error(message), { name: 'TimeoutError', code: 'ETIMEDOUT' }));
  };
  if (late.aborted) breakOff();
  late.addEventListener('abort', breakOff, { once: true });
  body.once('close', () => late.removeEventListener('abort', breakOff));
}

/** What sending a body takes on a slow line. */
function uploadMs(body: unknown): number {
  const { length = 0 } = (body ?? '') as { readonly length?: number };
  return Math.floor(length / UPLOAD_BYTES_PER_MS);
}
