import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Longest wait for a connection, for the next byte, and for one whole attempt. */
export const TIMEOUTS = { connectionMs: 1_000, socketMs: 3_000, requestMs: 5_000 } as const;

// Above any number of requests that one function has under way, so that none waits for a socket while its time runs.
const MAX_SOCKETS = 256;

/** An HTTP handler whose every attempt ends. The SDK's own has no timeouts, and without `throwOnRequestTimeout` it only warns. */
export function timedRequestHandler(): NodeHttpHandler {
  return new NodeHttpHandler({
    connectionTimeout: TIMEOUTS.connectionMs,
    socketTimeout: TIMEOUTS.socketMs,
    requestTimeout: TIMEOUTS.requestMs,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: MAX_SOCKETS },
    httpsAgent: { maxSockets: MAX_SOCKETS },
  });
}
