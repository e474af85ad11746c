import type { Clock } from '../ports/clock.ts';
import { TIMEOUTS } from './request-handler.ts';

/** Until when a call may try: both are epoch milliseconds. */
export interface AttemptLimits {
  /** No attempt starts later than this. */
  readonly notAfter?: number | undefined;
  /** No attempt starts later than this, and none lasts longer. */
  readonly deadline?: number | undefined;
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

/**
 * Refuses attempts that would start too late. It stands right behind the SDK's retries and before the signature, so it sees
 * each attempt: a process that was frozen in a retry sends nothing when it thaws.
 */
export function guardAttempts(stack: GuardedStack, clock: Clock, limits: AttemptLimits): void {
  const latest = Math.min(limits.notAfter ?? Number.POSITIVE_INFINITY, limits.deadline ?? Number.POSITIVE_INFINITY);
  stack.addRelativeTo(
    (next) => async (args) => {
      const late = clock.now() - latest;
      if (late > 0) throw new AttemptTooLateError(`the attempt would start ${late} ms after it was allowed`);
      return next(args);
    },
    { name: 'nightcrewAttemptGuard', relation: 'after', toMiddleware: 'retryMiddleware' },
  );
}

/** What a call hands to the SDK: both are read anew for each attempt. */
interface CallOptions {
  readonly requestTimeout?: number;
  readonly abortSignal?: AbortSignal;
}

/** What ends the calls that are under way at once and have one deadline: a timer for all of them, as long as there is one. */
interface Watch {
  readonly late: AbortSignal;
  readonly over: AbortController;
  calls: number;
}

const watches = new WeakMap<Clock, Map<number, Watch>>();

/**
 * Makes a call that the deadline ends wherever it is: in a request, in the SDK's back-off after a throttle (up to some seconds), or
 * in a reply. Each attempt's timeout is capped by what is left when it starts.
 */
export async function sendWithin<Reply>(
  clock: Clock,
  { deadline }: AttemptLimits,
  send: (options: CallOptions) => Promise<Reply>,
): Promise<Reply> {
  if (deadline === undefined) return send({});
  const watch = joinWatch(clock, deadline);
  try {
    return await send({
      get requestTimeout() {
        return Math.max(1, Math.min(TIMEOUTS.requestMs, deadline - clock.now()));
      },
      abortSignal: watch.late,
    });
  } finally {
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
