import { StoreRefusedError } from '../../job/errors.ts';
import { AttemptTooLateError } from '../aws/attempt-guard.ts';
import { Attempts, statusOf } from '../aws/attempts.ts';
import { isPassing, nameOf } from '../aws/call-failure.ts';
import type { Row } from '../../ports/tables.ts';
import type { BatchKind, BatchSupport } from './batch-support.ts';
import type { Effort } from './caller.ts';

/** A write that shares a request; its limits and attempts are its own. */
export interface QueuedWrite {
  readonly effort: Effort;
}

/**
 * What became of one write of a batch:
 * - `applied`, `unmet`: the answer; `row` is the row of the applied write, or the one that its condition met, where it was sent along
 * - `gone`: the answer of a delete that met no row
 * - `alone`: not applied; it goes by itself at once
 * - `refused`: as `alone`, because the store did not take it as a part of this request
 * - `again`: throttled, in conflict, or without an answer of its own; it goes by itself after a wait
 * - `failed`: the request was not answered, or cannot be; nothing is known
 */
export type Member =
  | { readonly end: 'applied' | 'unmet'; readonly row?: Row }
  | { readonly end: 'gone' | 'alone' }
  | { readonly end: 'refused' | 'again'; readonly message: string }
  | { readonly end: 'failed'; readonly error: unknown };

/**
 * Makes one request that carries several writes. It starts no attempt that one of them could not start, and each of them takes over its
 * attempts. Gives the reply, or what became of all of them without one. Never rejects.
 */
export async function sendShared<Reply>(
  queued: readonly QueuedWrite[],
  { kind, support }: { readonly kind: BatchKind; readonly support: BatchSupport },
  send: (effort: Effort) => Promise<Reply>,
): Promise<{ readonly reply: Reply } | { readonly members: readonly Member[] }> {
  const attempts = new Attempts();
  const adoptAll = (): void => queued.forEach((one) => one.effort.attempts.adopt(attempts));
  const earliest = (limit: 'deadline' | 'notAfter'): number | undefined => {
    const instants = queued.map(({ effort }) => effort.limits[limit] ?? Number.POSITIVE_INFINITY);
    const first = Math.min(...instants);
    return Number.isFinite(first) ? first : undefined;
  };
  const limits = { deadline: earliest('deadline'), notAfter: earliest('notAfter') };
  try {
    const reply = await send({ limits, attempts });
    adoptAll();
    return { reply };
  } catch (error) {
    adoptAll();
    const { message } = error as Error;
    // A row of one of them cannot be said at all, so nothing was sent.
    if (error instanceof StoreRefusedError) return { members: queued.map(() => ({ end: 'alone' })) };
    // The window of one of them has closed, which says nothing of the others.
    if (error instanceof AttemptTooLateError && limits.notAfter !== undefined) return { members: queued.map(() => ({ end: 'alone' })) };
    const hasNoBatches = isUnknownOperation(error);
    if (hasNoBatches || nameOf(error) === 'AccessDeniedException') support.turnOff(kind, message);
    if (!hasNoBatches && isPassing(error)) return { members: queued.map(() => ({ end: 'failed', error })) };
    // It is unknown which of them is wrong, so only the first counts against its form.
    const isInvalid = nameOf(error) === 'ValidationException';
    return { members: queued.map((_, at) => (isInvalid && at === 0 ? { end: 'refused', message } : { end: 'alone' })) };
  }
}

/** An emulator that does not know the operation. */
function isUnknownOperation(error: unknown): boolean {
  return nameOf(error) === 'UnknownOperationException' || statusOf(error) === 501;
}
