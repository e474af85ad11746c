import { defined } from '../../shared/core/defined.ts';
import { decodeHint, type HintBody } from '../../shared/core/hint.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import type { HeldLock } from './held-lock.ts';
import type { ExecutorDeps } from './deps.ts';

/** A message that was understood. */
export interface Delivery {
  readonly message: ReceivedHint;
  readonly hint: HintBody;
  /** Somebody received it before and may have died with it, or it says so itself: nothing runs beside it. */
  readonly alone: boolean;
  /** The lock of its group, while it is held for this very job. */
  readonly lock?: HeldLock;
}

/** Deliveries that run one after another: one job, or the neighbours of one group. */
export interface Track {
  readonly groupHash?: string;
  readonly alone: boolean;
  readonly deliveries: readonly Delivery[];
}

/** A batch sorted out: what to run, and the ids of messages that must come back. */
export interface Received {
  readonly tracks: readonly Track[];
  readonly failed: readonly string[];
}

/** Reads and routes each message of a batch. Unreadable ones go to the dead-letter queue, misplaced ones to their own queue. */
export async function receive(deps: ExecutorDeps, messages: readonly ReceivedHint[]): Promise<Received> {
  const failed: string[] = [];
  const deliveries: Delivery[] = [];
  for (const [index, taken] of (await Promise.all(messages.map((message) => readOne(deps, message)))).entries()) {
    if (taken === 'failed') failed.push(messages[index]?.messageId ?? '');
    else if (taken !== 'acknowledged') deliveries.push(taken);
  }
  return { tracks: intoTracks(deliveries), failed };
}

async function readOne(deps: ExecutorDeps, message: ReceivedHint): Promise<Delivery | 'acknowledged' | 'failed'> {
  let hint: HintBody;
  try {
    hint = decodeHint(message.body);
  } catch (error) {
    return rejectUnreadable(deps, message, error);
  }
  const { queue } = message;
  const alone = hint.alone === 1;
  const belongsToFifo = hint.g !== undefined && deps.deployment.workers.get(queue.worker)?.fifo !== undefined;
  if (hint.g === undefined || !belongsToFifo || queue.kind === 'fifo') return { message, hint, alone: alone || message.receiveCount > 1 };
  const left = await deps.hints.send([
    { id: hint.id, n: hint.n, worker: queue.worker, lane: queue.lane, groupHash: hint.g, delayMs: 0, alone, priority: hint.p ?? 0 },
  ]);
  return left.length === 0 ? 'acknowledged' : 'failed';
}

async function rejectUnreadable(deps: ExecutorDeps, message: ReceivedHint, error: unknown): Promise<'acknowledged' | 'failed'> {
  const reason = error instanceof Error ? error.message : String(error);
  deps.journal.record({ event: 'unreadable-message', worker: message.queue.worker, reason });
  try {
    await deps.inbox.reject(message, reason);
    return 'acknowledged';
  } catch {
    return 'failed';
  }
}

function intoTracks(deliveries: readonly Delivery[]): readonly Track[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const group = delivery.hint.g ?? `#${delivery.message.messageId}`;
    groups.set(group, [...(groups.get(group) ?? []), delivery]);
  }
  return [...groups.values()].map((members) => {
    const groupHash = members[0]?.hint.g;
    return { deliveries: members, alone: members.some(({ alone }) => alone), ...defined({ groupHash }) };
  });
}
