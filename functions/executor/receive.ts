import { defined } from '../../shared/job/defined.ts';
import { decodeHint, type HintBody } from '../../shared/job/hint.ts';
import { dueAtOf } from '../../shared/job/job-id.ts';
import type { LockOwner } from '../../shared/job/lock-owner.ts';
import { switchedOff } from '../../shared/features/rules/store/switched-off.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import type { ExecutorDeps } from './deps.ts';

/** A group lock as its holder remembers it. */
export interface HeldLock {
  readonly groupHash: string;
  readonly owner: LockOwner;
  readonly until: number;
}

/** A valid message. */
export interface Delivery {
  readonly message: ReceivedHint;
  readonly hint: HintBody;
  /** It was received before, and that process may have died, or it is marked `alone`: nothing runs at the same time. */
  readonly alone: boolean;
  /** The lock of its group while it is held for this job. */
  readonly lock?: HeldLock;
}

/** Deliveries that run one after another: one job, or the jobs of one group. */
export interface Track {
  readonly groupHash?: string;
  readonly alone: boolean;
  readonly deliveries: readonly Delivery[];
}

/** The messages of an invocation in tracks, and the ids of messages that SQS must redeliver. */
export interface Received {
  readonly tracks: readonly Track[];
  readonly failed: readonly string[];
}

/** Reads and routes each message of an invocation. Unreadable ones go to the dead-letter queue, misplaced ones to their own queue. */
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

/**
 * The order in which the jobs of an invocation start: by priority, then by first due time, then as they were
 * received. The jobs of a group stay in the order of their queue; the first one determines when they start.
 */
export function inStartOrder(tracks: readonly Track[]): readonly Track[] {
  return tracks.toSorted((a, b) => urgency(b) - urgency(a) || firstDue(a) - firstDue(b));
}

function urgency({ deliveries: [first] }: Track): number {
  return first?.hint.p ?? 0;
}

function firstDue({ deliveries: [first] }: Track): number {
  return first === undefined ? 0 : dueAtOf(first.hint.id);
}

/**
 * While an operator has the deployment switched off, although something switched its event sources on again: acknowledges each hint without a claim, and
 * returns the ids of the other messages, which SQS keeps. The sweeper sends the hints again once the deployment is on. Undefined while it is on.
 */
export async function ignoreWhileOff(deps: ExecutorDeps, messages: readonly ReceivedHint[]): Promise<readonly string[] | undefined> {
  if (!(await isOff(deps))) return undefined;
  deps.journal.record({ event: 'ignored-while-off', count: messages.length, ...defined({ worker: deps.deployment.worker }) });
  return messages.filter(({ body }) => isNoHint(body)).map(({ messageId }) => messageId);
}

/** If the rules cannot be read, the jobs find that out themselves and are given back. */
async function isOff(deps: ExecutorDeps): Promise<boolean> {
  return deps.rules.current(deps).then(
    (rules) => switchedOff(rules) !== undefined,
    () => false,
  );
}

function isNoHint(body: string): boolean {
  try {
    decodeHint(body);
    return false;
  } catch {
    return true;
  }
}

/** What to do with the message. `later` runs its job again in this invocation, alone. */
export type Disposition = 'acknowledge' | 'requeue' | 'later';

const GIVE_BACK_STEP_MS = 5_000;
const GIVE_BACK_MOST_MS = 60_000;

/** Makes the message visible again after `ms` and reports it as failed, so that the event source does not delete it. */
export async function requeue({ deps }: { readonly deps: ExecutorDeps }, { message }: Delivery, ms: number): Promise<Disposition> {
  await deps.inbox.postpone(message, ms);
  return 'requeue';
}

/** Delay for a job that could not start: none the first time, growing with each receive, so that no sandbox spins on it. */
export function giveBackDelayMs(receiveCount: number): number {
  return Math.min(GIVE_BACK_STEP_MS * Math.max(0, receiveCount - 1), GIVE_BACK_MOST_MS);
}
