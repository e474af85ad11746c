import type { QueueRef } from '../../../../shared/ports/hints.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { World } from './world.ts';

const MAX_BATCH = 10;
const POLL_MS = 50;

/** Feeds executors from the queues, as Lambda's event source does: up to so many batches of a queue at a time. */
export class EventSource {
  on = true;
  /** How many messages it asks for at a time. */
  batch: () => number;
  /** Whether it looks into queues all of whose executors are busy: it receives nothing, and it takes time. */
  looksWhenBusy = true;
  /** Workers whose queues it leaves to others. */
  readonly leaves = new Set<string>();
  readonly #world: World;
  readonly #sandboxes: Sandboxes;
  readonly #running = new Map<QueueRef, number>();
  readonly #most: number;
  #nextPoll = Number.POSITIVE_INFINITY;

  constructor(world: World, sandboxes: Sandboxes) {
    this.#world = world;
    this.#sandboxes = sandboxes;
    this.batch = () => 1 + Math.floor(world.entropy.random() * MAX_BATCH);
    this.#most = world.deployment.settings.maxConcurrency;
    world.queues.onChange = () => this.wake();
  }

  /** Looks when the next message can be received, and is there by then. */
  wake(): void {
    const { time, queues } = this.#world;
    const next = queues.nextVisibleAt(
      (ref) => !this.leaves.has(ref.worker) && (this.looksWhenBusy || (this.#running.get(ref) ?? 0) < this.#most),
    );
    if (next === undefined) return;
    const at = Math.max(next, time.now + POLL_MS);
    if (at >= this.#nextPoll) return;
    this.#nextPoll = at;
    const poll = (): void => {
      if (this.#nextPoll <= time.now) this.#nextPoll = Number.POSITIVE_INFINITY;
      this.#poll();
    };
    // Where it is off, time only brings about that others can receive a message.
    const isVain = (): boolean => !this.on && (queues.nextVisibleAt() ?? 0) <= time.now;
    time.after(at - time.now, poll, { where: queues, isVain });
  }

  #poll(): void {
    if (!this.on) return;
    for (const ref of this.#world.queues.refs.filter(({ worker }) => !this.leaves.has(worker))) {
      while ((this.#running.get(ref) ?? 0) < this.#most && this.#receive(ref));
    }
    this.wake();
  }

  #receive(ref: QueueRef): boolean {
    const { queues } = this.#world;
    const messages = queues.receive(ref, this.batch());
    if (messages.length === 0) return false;
    this.#world.checks.lanes.received(messages);
    this.#running.set(ref, (this.#running.get(ref) ?? 0) + 1);
    void this.#sandboxes.execute(ref.worker, messages).then((back) => {
      this.#running.set(ref, (this.#running.get(ref) ?? 1) - 1);
      if (back !== undefined) queues.acknowledge(messages.filter(({ messageId }) => !back.includes(messageId)));
      this.wake();
    });
    return true;
  }
}
