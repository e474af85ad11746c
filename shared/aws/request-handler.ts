import { NodeHttpHandler } from '@smithy/node-http-handler';
import { systemClock } from '../config/system.ts';

/** Longest wait for a connection, for the next byte, and for one whole attempt, its reply read to the end. */
export const TIMEOUTS = { connectionMs: 1_000, socketMs: 3_000, requestMs: 5_000 } as const;

// Above any number of requests that one function has under way, so that none waits for a socket while its time runs.
const MAX_SOCKETS = 256;

/**
 * An HTTP handler whose every attempt ends. The SDK's own has no timeouts, and without `throwOnRequestTimeout` it only warns.
 * `silenceMs`: how long the service may say nothing at all, longer for long polls.
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

/** The SDK's request timeout ends with the head of the reply; this one holds until the body was read, however slowly it drips. */
class TimedHandler extends NodeHttpHandler {
  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    // Read once: it may be a getter that tells what is left now.
    const requestTimeout = options?.requestTimeout ?? TIMEOUTS.requestMs;
    const endsAt = systemClock.now() + requestTimeout;
    const reply = await super.handle(request, { ...options, requestTimeout });
    const body = reply.response.body as Body;
    // A short reply comes with its head.
    if (body.complete === true) return reply;
    const late = AbortSignal.timeout(Math.min(requestTimeout, Math.max(0, endsAt - systemClock.now())));
    const breakOff = (): void => {
      const message = `the reply was not read to its end within ${requestTimeout} ms`;
      body.destroy(Object.assign(new Error(message), { name: 'TimeoutError', code: 'ETIMEDOUT' }));
    };
    if (late.aborted) breakOff();
    late.addEventListener('abort', breakOff, { once: true });
    body.once('close', () => late.removeEventListener('abort', breakOff));
    return reply;
  }
}
