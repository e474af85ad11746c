import { defined } from '../../job/defined.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Attempts, isSetBack } from './attempts.ts';
import { TIMEOUTS } from './request-handler.ts';

/** Until when a call may try; instants are epoch milliseconds. */
export interface AttemptLimits {
  /** No attempt starts later than this. */
  readonly notAfter?: number | undefined;
  /** No attempt starts later than this, and none lasts longer. */
  readonly deadline?: number | undefined;
  /** No attempt starts later than this many milliseconds after the first one. */
  readonly withinMs?: number | undefined;
}

/** An attempt was not made because its time had passed. An earlier attempt of the same call may have been applied. */
export class AttemptTooLateError extends Error {
  override readonly name = 'AttemptTooLateError';
}

/** The middleware stack of a command, as far as a guard needs it. */
export interface GuardedStack {
  addRelativeTo(
    middleware: <Args, Result>(next: (args: Args) => Promise<Result>) => (args: Args) => Promise<Result>,
    options: { readonly name: string; readonly relation: 'after'; readonly toMiddleware: string },
  ): void;
}

/** The last instant at which an attempt may start. */
export function latestStart({ notAfter, deadline, withinMs }: AttemptLimits, { firstAt }: Attempts): number {
  const never = Number.POSITIVE_INFINITY;
  const tokenEnds = withinMs === undefined || firstAt === undefined ? never : firstAt + withinMs;
  return Math.min(notAfter ?? never, deadline ?? never, tokenEnds);
}

/** Whether it matters when an attempt starts for more than how long the caller waits. */
const isTimed = ({ notAfter, withinMs }: AttemptLimits): boolean => notAfter !== undefined || withinMs !== undefined;

/**
 * Refuses attempts that would start too late, and records the result of the others. Runs after the SDK's retries and before
 * the signature, so it sees each attempt: a process that was frozen during a retry sends nothing when it thaws, nor does one whose clock was set
 * back during a retry.
 */
export function guardAttempts(stack: GuardedStack, clock: Clock, limits: AttemptLimits, attempts: Attempts): void {
  stack.addRelativeTo(
    (next) => async (args) => {
      const now = clock.now();
      const late = now - latestStart(limits, attempts);
      if (late > 0) throw new AttemptTooLateError(`the attempt would start ${late} ms after it was allowed`);
      if (isTimed(limits) && isSetBack(now, attempts.lastAt))
        throw new AttemptTooLateError('the clock was set back since the last attempt');
      attempts.start(now);
      try {
        return await next(args);
      } catch (error) {
        attempts.fail(error);
        unmarkSkew(error);
        throw error;
      }
    },
    { name: 'nightcrewAttemptGuard', relation: 'after', toMiddleware: 'retryMiddleware' },
  );
}

/** Errors that a wrong clock causes. */
const OF_TIME = new Set([
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/** The signer marks every error reply that shows a clock to be off, and the SDK repeats what is marked: a failed condition too. */
function unmarkSkew(error: unknown): void {
  const { name, $metadata } = error as Error & { readonly $metadata?: { clockSkewCorrected?: boolean } };
  if ($metadata?.clockSkewCorrected === true && !OF_TIME.has(name)) delete $metadata.clockSkewCorrected;
}

/** What a call passes to the SDK: both are read again for each attempt. */
interface CallOptions {
  readonly requestTimeout?: number;
  readonly abortSignal?: AbortSignal;
}

/** Ends all calls under way that share a deadline: one timer for all of them, which runs while there is a call. */
interface Watch {
  readonly late: AbortSignal;
  readonly over: AbortController;
  calls: number;
}

const watches = new WeakMap<Clock, Map<number, Watch>>();

/** How long a call may take. */
export interface CallTime extends Pick<AttemptLimits, 'deadline'> {
  /** How long one attempt may take. Default: 5 s. */
  readonly attemptMs?: number;
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a call that the deadline ends wherever it is: in a request, in the SDK's back-off after a throttle (up to some seconds), in
 * a reply, or while it waits for credentials, which no signal ends. Each attempt's timeout is capped by what is left when it starts.
 */
export async function sendWithin<Reply>(
  clock: Clock,
  { deadline, attemptMs = TIMEOUTS.requestMs, signal }: CallTime,
  send: (options: CallOptions) => Promise<Reply>,
): Promise<Reply> {
  if (deadline === undefined) return send({ requestTimeout: attemptMs, ...defined({ abortSignal: signal }) });
  const watch = joinWatch(clock, deadline);
  const abortSignal = signal === undefined ? watch.late : AbortSignal.any([signal, watch.late]);
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new AttemptTooLateError('the deadline came before an answer'));
  watch.late.addEventListener('abort', giveUp, { once: true });
  try {
    const reply = send({
      get requestTimeout() {
        return Math.max(1, Math.min(attemptMs, deadline - clock.now()));
      },
      abortSignal,
    });
    return await Promise.race([reply, tooLate]);
  } finally {
    watch.late.removeEventListener('abort', giveUp);
    leaveWatch(clock, deadline, watch);
  }
}

function joinWatch(clock: Clock, deadline: number): Watch {
  const known = watches.get(clock) ?? new Map<number, Watch>();
  watches.set(clock, known);
  const watch = known.get(deadline) ?? startWatch(clock, deadline);
  known.set(deadline, watch);
  watch.calls += 1;
  return watch;
}

function startWatch(clock: Clock, deadline: number): Watch {
  const [over, late] = [new AbortController(), new AbortController()];
  void clock.wait(deadline - clock.now(), over.signal).then(() => {
    // An abort after the reply would close a connection that others can use.
    if (!over.signal.aborted) late.abort();
  });
  return { late: late.signal, over, calls: 0 };
}

function leaveWatch(clock: Clock, deadline: number, watch: Watch): void {
  watch.calls -= 1;
  if (watch.calls > 0) return;
  watches.get(clock)?.delete(deadline);
  // Without a reason an error is made, stack and all.
  watch.over.abort('every call has ended');
}
