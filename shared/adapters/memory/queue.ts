import { defined } from '../../job/defined.ts';
import type { QueueRef, ReceivedHint } from '../../ports/hints.ts';

const DEDUPLICATION_MS = 300_000;

/** One message in a queue. */
interface Message {
  readonly id: string;
  readonly body: string;
  readonly group?: string;
  visibleAt: number;
  receiveCount: number;
  /** Holding it: the handle of the last receive. */
  handle?: string;
}

/** What is sent: `deduplication` and `group` only on FIFO. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  readonly group?: string;
  readonly deduplication?: string;
  readonly visibleAt: number;
}

/** One queue in memory, standard or FIFO, with SQS's visibility and group rules. Instants are handed in. */
export class MemoryQueue {
  readonly #ref: QueueRef;
  readonly #visibilityMs: number;
  readonly #messages = new Map<string, Message>();
  readonly #seen = new Map<string, number>();

  constructor(ref: QueueRef, visibilityMs: number) {
    this.#ref = ref;
    this.#visibilityMs = visibilityMs;
  }

  /** Takes a message, unless one with the same deduplication id and group was taken within five minutes. */
  send({ id, body, group, deduplication, visibleAt }: QueuedMessage, now: number): void {
    if (deduplication !== undefined) {
      const scoped = JSON.stringify([group, deduplication]);
      if ((this.#seen.get(scoped) ?? Number.NEGATIVE_INFINITY) > now) return;
      this.#seen.set(scoped, now + DEDUPLICATION_MS);
    }
    this.#messages.set(id, { id, body, ...defined({ group }), visibleAt, receiveCount: 0 });
  }

  /** Delivers messages and hides them for the visibility timeout. A group with a message in flight is skipped. */
  receive(max: number, now: number): readonly ReceivedHint[] {
    const held = this.#heldGroups(now);
    const taken = [...this.#messages.values()]
      .filter((message) => message.visibleAt <= now && (message.group === undefined || !held.has(message.group)))
      .slice(0, max);
    return taken.map((message) => {
      message.visibleAt = now + this.#visibilityMs;
      message.receiveCount += 1;
      message.handle = `${message.id}/${message.receiveCount}`;
      const { id: messageId, body, handle: receiptHandle, receiveCount } = message;
      return { messageId, receiptHandle, body, queue: this.#ref, receiveCount };
    });
  }

  /** Removes a message; a handle from before a later receive does nothing. */
  acknowledge(handle: string): void {
    const message = this.#heldBy(handle);
    if (message !== undefined) this.#messages.delete(message.id);
  }

  postpone(handle: string, visibleAt: number): void {
    const message = this.#heldBy(handle);
    if (message !== undefined) message.visibleAt = visibleAt;
  }

  /** Messages that could be received, a group's followers included: what SQS counts as visible. */
  visible(now: number): number {
    return [...this.#messages.values()].filter((message) => message.visibleAt <= now).length;
  }

  /** When a message can be received first; in the past when one can be now, `undefined` when there is none. */
  nextVisibleAt(now: number): number | undefined {
    const held = this.#heldGroups(now);
    let next: number | undefined;
    for (const { group, visibleAt } of this.#messages.values()) {
      const at = Math.max(visibleAt, (group === undefined ? undefined : held.get(group)) ?? visibleAt);
      next = Math.min(next ?? at, at);
    }
    return next;
  }

  /** Groups with a message in flight, and when the last of those comes back. */
  #heldGroups(now: number): ReadonlyMap<string, number> {
    const held = new Map<string, number>();
    for (const { group, visibleAt } of this.#messages.values()) {
      if (group !== undefined && visibleAt > now) held.set(group, Math.max(visibleAt, held.get(group) ?? 0));
    }
    return held;
  }

  #heldBy(handle: string): Message | undefined {
    const message = this.#messages.get(handle.slice(0, handle.lastIndexOf('/')));
    return message?.handle === handle ? message : undefined;
  }
}
