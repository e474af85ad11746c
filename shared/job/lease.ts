import { InvalidConfigurationError } from './errors.ts';

/** How long an executor may use the operators' rules that it has read. */
export const RULES_TTL_MS = 5_000;
/** Largest difference between two clocks that the promises assume. */
export const MAX_CLOCK_SKEW_MS = 2_000;
/** An unfenced put (enqueue, schedule) makes no attempt later than this after its verb began. */
export const UNFENCED_WRITE_WINDOW_MS = 10_000;
/** Time that an invocation reserves to return after its last request: a response after Lambda's kill is lost. */
export const ANSWER_MS = 500;
/**
 * For how long a repeated transaction is recognised by its token: DynamoDB knows a token for ten minutes after its first request. No
 * attempt starts later than this after the first one.
 */
export const TOKEN_TRUSTED_MS = 540_000;
/** First redispatch of a row that an unfenced put made: the window above plus the life of a SigV4 signature, rounded up. */
export const FIRST_REDISPATCH_MS = 360_000;
/** Redispatch of a row that a fenced write made ready. */
export const REDISPATCH_MS = 120_000;
/** Redispatches in a row double up to this. */
export const MAX_REDISPATCH_MS = 3_600_000;
/** Longest wait that a backlog explains, in multiples of `backlogPatienceMs`: a day by default. SQS keeps a message for four days. */
export const EXPLAINED_PATIENCES = 24;

/** Until when a ready row belongs to its queue. `redispatches` in a row double the time, at most an hour. */
export function queueLeaseUntil(now: number, dueAt: number, redispatchAfterMs = REDISPATCH_MS, redispatches = 0): number {
  return Math.max(now, dueAt) + Math.min(redispatchAfterMs * 2 ** Math.min(redispatches, 10), MAX_REDISPATCH_MS);
}

/** When the lease of a running job expires: Lambda has killed the sandbox by then, on any clock within the skew. */
export function executorLeaseUntil(hardDeadline: number, marginMs: number): number {
  return hardDeadline + marginMs;
}

/** Visibility timeouts that outlast every lease: FIFO short, so that a group is not blocked, standard as AWS advises. */
export function visibilityTimeoutMs(queue: 'standard' | 'fifo', functionTimeoutMs: number, marginMs: number): number {
  const wanted = queue === 'fifo' ? functionTimeoutMs + marginMs + 30_000 : 6 * functionTimeoutMs;
  return Math.max(wanted, functionTimeoutMs + marginMs + 1_000);
}

/** Refuses a lease outside Lambda that would leave no time to renew it before its margin begins. */
export function checkWorkerLease({
  workerLeaseMs,
  leaseMarginMs,
}: {
  readonly workerLeaseMs: number;
  readonly leaseMarginMs: number;
}): void {
  if (workerLeaseMs >= 2 * leaseMarginMs) return;
  throw new InvalidConfigurationError(
    `workerLease: ${workerLeaseMs} ms is less than twice the lease margin of ${leaseMarginMs} ms: it could not be renewed in time. Use ${2 * leaseMarginMs} ms or more, or a shorter leaseMargin.`,
  );
}

/** Refuses lease settings under which a lease could end before its owner is dead. */
export function checkLeaseSettings(settings: {
  readonly leaseMarginMs: number;
  readonly functionTimeoutMs: number;
  readonly visibilityMs: number;
}): void {
  const { leaseMarginMs, functionTimeoutMs, visibilityMs } = settings;
  if (leaseMarginMs < 2 * MAX_CLOCK_SKEW_MS) {
    throw new InvalidConfigurationError(
      `leaseMargin: ${leaseMarginMs} ms is less than twice the clock skew of ${MAX_CLOCK_SKEW_MS} ms. Use ${2 * MAX_CLOCK_SKEW_MS} ms or more.`,
    );
  }
  if (visibilityMs <= functionTimeoutMs + leaseMarginMs) {
    throw new InvalidConfigurationError(
      `visibilityTimeout: ${visibilityMs} ms must be more than the function timeout of ${functionTimeoutMs} ms plus the lease margin of ${leaseMarginMs} ms.`,
    );
  }
}
