import type { WorkerQueues } from '../../config/environment.ts';
import { encodeHint, type Hint } from '../../job/hint.ts';
import { checkOptions } from '../../job/names.ts';
import { presentName } from '../../job/worker-names.ts';
import { routeHint } from '../../job/hint-route.ts';
import { LIMITS } from '../../job/size-limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../ports/hints.ts';
import { MemoryQueue } from './queue.ts';

/** A message that was copied to a dead-letter queue, and why. */
export interface RejectedHint {
  readonly message: ReceivedHint;
  readonly reason: string;
}

/** The queues in memory, with what SQS's consumer side offers. */
export interface MemoryHints extends HintSender, Inbox, Backlog {
  /** At most `max` messages, hidden for the visibility timeout. */
  receive(queue: QueueRef, max: number): readonly ReceivedHint[];
  /** Removes a message; a receipt from before a later receive does nothing. */
  acknowledge(message: ReceivedHint): void;
  /** When a message of any queue can be received first; in the past when one can be now. */
  nextVisibleAt(): number | undefined;
  deadLetters(): readonly RejectedHint[];
  /** Puts a body as it is into a queue, as a stranger with access to it could. */
  inject(queue: QueueRef, body: string): void;
}

/** Where the queues in memory belong to, and how exact they are. */
export interface MemoryHintsOptions {
  readonly clock: Clock;
  readonly workers: ReadonlyMap<string, WorkerQueues>;
  readonly visibilityMs: number;
  /** Keeps delays exact to the millisecond, for tests that check what runs at an instant. SQS rounds up to whole seconds. */
  readonly exactDelays?: boolean;
}

/** Queues of the given workers in memory, on the time of the given clock: delay, visibility, group order, deduplication. */
export function createMemoryHints(options: MemoryHintsOptions): MemoryHints {
  checkOptions(options, ['clock', 'workers', 'visibilityMs', 'exactDelays'], 'options');
  return new InMemoryHints(options);
}

class InMemoryHints implements MemoryHints {
  readonly #clock: Clock;
  readonly #workers: ReadonlyMap<string, WorkerQueues>;
  readonly #exactDelays: boolean;
  readonly #queues = new Map<string, MemoryQueue>();
  readonly #dead: RejectedHint[] = [];
  #sent = 0;

  constructor({ clock, workers, visibilityMs, exactDelays = false }: MemoryHintsOptions) {
    this.#clock = clock;
    this.#workers = workers;
    this.#exactDelays = exactDelays;
    for (const [worker, { lanes, fifo }] of workers) {
      const refs: QueueRef[] = Object.keys(lanes).map((lane) => ({ worker, lane, kind: 'standard' }));
      if (fifo !== undefined) refs.push({ worker, lane: '', kind: 'fifo' });
      for (const ref of refs) this.#queues.set(nameOf(ref), new MemoryQueue(ref, visibilityMs));
    }
  }

  async send(hints: readonly Hint[]): Promise<readonly Hint[]> {
    return hints.filter((hint) => !this.#take(hint));
  }

  async postpone(message: ReceivedHint, ms: number): Promise<void> {
    const delayMs = this.#inSqsUnits(Math.min(Math.max(ms, 0), LIMITS.visibilityMs));
    this.#queue(message.queue)?.postpone(message.receiptHandle, this.#clock.now() + delayMs);
  }

  async discard(messages: readonly ReceivedHint[]): Promise<void> {
    for (const message of messages) this.acknowledge(message);
  }

  async reject(message: ReceivedHint, reason: string): Promise<void> {
    this.#dead.push({ message, reason });
  }

  async visible(queue: QueueRef): Promise<number | undefined> {
    return this.#queue(queue)?.visible(this.#clock.now());
  }

  receive(queue: QueueRef, max: number): readonly ReceivedHint[] {
    const received = this.#queue(queue)?.receive(max, this.#clock.now()) ?? [];
    return received.map((message) => ({ ...message, queue }));
  }

  acknowledge(message: ReceivedHint): void {
    this.#queue(message.queue)?.acknowledge(message.receiptHandle);
  }

  nextVisibleAt(): number | undefined {
    const times = [...this.#queues.values()].flatMap((queue) => queue.nextVisibleAt(this.#clock.now()) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  deadLetters(): readonly RejectedHint[] {
    return [...this.#dead];
  }

  inject(queue: QueueRef, body: string): void {
    const now = this.#clock.now();
    this.#queue(queue)?.send({ id: this.#nextId(), body, visibleAt: now, ...(queue.kind === 'fifo' ? { group: 'injected' } : {}) }, now);
  }

  #take(hint: Hint): boolean {
    const route = routeHint(hint, this.#workers.get(hint.worker));
    if (route === undefined) return false;
    const now = this.#clock.now();
    const delayMs = this.#exactDelays ? Math.min(Math.max(hint.delayMs, 0), route.delaySeconds * 1000) : route.delaySeconds * 1000;
    const message = { id: this.#nextId(), body: encodeHint(hint, route.forward), visibleAt: now + delayMs };
    const ordered = { group: hint.groupHash ?? '', deduplication: `${hint.id}#${hint.n}` };
    this.#queue({ worker: presentName(this.#workers, hint.worker), ...route })?.send(
      route.kind === 'fifo' ? { ...message, ...ordered } : message,
      now,
    );
    return true;
  }

  #inSqsUnits(ms: number): number {
    return this.#exactDelays ? ms : Math.ceil(ms / 1000) * 1000;
  }

  #nextId(): string {
    this.#sent += 1;
    return `message-${this.#sent}`;
  }

  #queue(ref: QueueRef): MemoryQueue | undefined {
    return this.#queues.get(nameOf(ref));
  }
}

// A worker has one FIFO queue for all its lanes.
function nameOf(ref: QueueRef): string {
  return JSON.stringify(ref.kind === 'fifo' ? [ref.worker, 'fifo'] : [ref.worker, 'standard', ref.lane]);
}
