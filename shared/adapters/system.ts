import { randomBytes } from 'node:crypto';
import { traceparentOf } from '../job/traceparent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Sandbox } from '../ports/sandbox.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), 2 ** 31 - 1));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Calls back at the end of the current turn of the event loop. */
export function systemTurn(run: () => void): void {
  setImmediate(run);
}

const TOKEN_BYTES = 16;
// Drawn for many tokens at once, as Node does for its UUIDs: asking the system costs more than all the rest of a token.
let drawn = Buffer.alloc(0);
let tokensAtOnce: number | undefined;

function token(): string {
  // Sandboxes restored from one snapshot would all hold the same drawn bytes, and draw the same lock owners from them.
  tokensAtOnce ??= systemEnvironment()['AWS_LAMBDA_INITIALIZATION_TYPE'] === 'snap-start' ? 1 : 64;
  if (drawn.length === 0) drawn = randomBytes(tokensAtOnce * TOKEN_BYTES);
  const own = drawn.toString('base64url', 0, TOKEN_BYTES);
  drawn = drawn.subarray(TOKEN_BYTES);
  return own;
}

/** The machine's chance: cryptographic where two processes must not draw the same. */
export const systemEntropy: Entropy = {
  random: () => Math.random(),
  token,
  bytes: (count) => randomBytes(count),
};

/** A process of its own: only ending it makes sure that a handler in it never continues. */
export const processSandbox: Sandbox = { end: () => process.exit(1) };

/** The process's environment variables. */
export function systemEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The trace of the present invocation, which Lambda puts into a variable anew each time. */
export function systemTraceparent(): string | undefined {
  return traceparentOf(process.env['_X_AMZN_TRACE_ID']);
}

/** Fires at the first SIGTERM or SIGINT; `release` stops listening, and a second signal then ends the process as usual. */
export function stopSignals(): { readonly signal: AbortSignal; readonly release: () => void } {
  const stop = new AbortController();
  const listener = (): void => {
    release();
    stop.abort();
  };
  const release = (): void => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.removeListener(name, listener);
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, listener);
  return { signal: stop.signal, release };
}

const lastWork = new Set<() => Promise<void>>();

/** Runs `work` once before the process ends because there is nothing left to do; not when it is killed, or calls `process.exit`. */
export function beforeProcessEnds(work: () => Promise<void>): void {
  if (lastWork.size === 0) {
    process.once('beforeExit', () => {
      const all = [...lastWork];
      lastWork.clear();
      void Promise.all(all.map(async (one) => one()));
    });
  }
  lastWork.add(work);
}
