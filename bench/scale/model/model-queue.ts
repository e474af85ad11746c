import type { QueueRef, ReceivedHint } from '../../../shared/ports/hints.ts';
import { SQS } from './aws-limits.ts';
import { Fifo } from './fifo.ts';
import type { ModelTime } from './model-time.ts';

/** A message in a queue of the model. */
export interface ModelMessage {
  readonly id: string;
  readonly body: string;
  /** Its tenant on a standard queue, its order on a FIFO queue. */
  readonly group?: string;
  receives: number;
}

/** A received message. */
export interface Received extends ReceivedHint {
  readonly message: ModelMessage;
}

/**
 * One queue: delays, in-flight limit, fair order between the groups of a standard queue, strict order within those of a FIFO
 * queue, whose calls are limited too. `onVisible` is called when there is something to receive.
 */
export class ModelQueue {
  onVisible: () => void = () => {};
  /** Receives that found more than may be in flight, and calls beyond the limit of a FIFO queue. */
  refused = 0;
  readonly ref: QueueRef;
  readonly #time: ModelTime;
  readonly #waiting = new Fifo<ModelMessage>();
  /** First messages of groups that were in flight and are so no more. */
  readonly #freed = new Fifo<ModelMessage>();
  /** Messages of groups that must wait: noisy ones on a standard queue, those in flight on a FIFO queue. */
  readonly #held = new Map<string, Fifo<ModelMessage>>();
  readonly #inFlight = new Map<string, number>();
  #flying = 0;
  #visible = 0;
  #second = Number.NaN;
  #calls = 0;

  constructor(ref: QueueRef, time: ModelTime) {
    this.ref = ref;
    this.#time = time;
  }

  get visible(): number {
    return this.#visible;
  }

  /** Takes a message that can be received in `delayMs`. False: the limit of calls is reached. */
  send(messages: readonly ModelMessage[], delayMs = 0): boolean {
    if (!this.#mayCall()) return false;
    if (delayMs > 0) this.#time.after(delayMs, () => this.#add(messages));
    else this.#add(messages);
    return true;
  }

  /** Messages that are only counted: no receive finds them. */
  placeUnread(count: number): void {
    this.#visible += count;
  }

  receive(max: number): readonly Received[] {
    if (this.#visible === 0 || !this.#mayCall()) return [];
    const taken: Received[] = [];
    while (taken.length < Math.min(max, SQS.batch) && this.#flying < SQS.inFlight) {
      const message = this.ref.kind === 'fifo' ? this.#nextInOrder(taken) : this.#nextFair();
      if (message === undefined) break;
      this.#visible--;
      this.#fly(message, 1);
      message.receives++;
      taken.push({
        messageId: message.id,
        receiptHandle: `${message.id}/${message.receives}`,
        body: message.body,
        queue: this.ref,
        receiveCount: message.receives,
        message,
      });
    }
    if (this.#flying >= SQS.inFlight) this.refused++;
    return taken;
  }

  acknowledge(message: ModelMessage): void {
    this.#fly(message, -1);
    if (this.ref.kind === 'fifo') this.#free(message.group);
  }

  /** A message that was received can be received again in `ms`. */
  requeue(message: ModelMessage, ms: number): void {
    this.#time.after(ms, () => {
      this.acknowledge(message);
      this.#add([message]);
    });
  }

  #add(messages: readonly ModelMessage[]): void {
    for (const message of messages) this.#waiting.push(message);
    this.#visible += messages.length;
    this.onVisible();
  }

  #nextFair(): ModelMessage | undefined {
    for (const [group, held] of this.#held) if (!this.#isNoisy(group)) return this.#takeHeld(group, held);
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      if (message.group === undefined || !this.#isNoisy(message.group)) return message;
      this.#hold(message.group, message);
    }
    for (const [group, held] of this.#held) return this.#takeHeld(group, held);
    return undefined;
  }

  #isNoisy(group: string): boolean {
    const mine = this.#inFlight.get(group) ?? 0;
    return mine > SQS.batch && mine > this.#flying * SQS.noisyShare;
  }

  /** A batch may hold several messages of a group, in order; a group of which another batch holds some is passed over. */
  #nextInOrder(taken: readonly Received[]): ModelMessage | undefined {
    const mine = taken.at(-1)?.message.group;
    const following = mine === undefined ? undefined : this.#held.get(mine);
    if (mine !== undefined && following !== undefined) return this.#takeHeld(mine, following);
    if (this.#freed.size > 0) return this.#freed.shift();
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const group = message.group ?? '';
      const blocked = (this.#inFlight.get(group) ?? 0) > 0 && !taken.some((one) => one.message.group === group);
      if (!blocked && !this.#held.has(group)) return message;
      this.#hold(group, message);
    }
    return undefined;
  }

  #hold(group: string, message: ModelMessage): void {
    const held = this.#held.get(group) ?? new Fifo<ModelMessage>();
    this.#held.set(group, held);
    held.push(message);
  }

  #takeHeld(group: string, held: Fifo<ModelMessage>): ModelMessage | undefined {
    const message = held.shift();
    if (held.size === 0) this.#held.delete(group);
    return message;
  }

  /** The last message of a group has left: the one behind it is next. */
  #free(group = ''): void {
    const held = this.#held.get(group);
    const next = held === undefined || (this.#inFlight.get(group) ?? 0) > 0 ? undefined : this.#takeHeld(group, held);
    if (next === undefined) return;
    this.#freed.push(next);
    this.onVisible();
  }

  #fly(message: ModelMessage, by: 1 | -1): void {
    this.#flying += by;
    if (message.group === undefined) return;
    const left = (this.#inFlight.get(message.group) ?? 0) + by;
    if (left > 0) this.#inFlight.set(message.group, left);
    else this.#inFlight.delete(message.group);
  }

  #mayCall(): boolean {
    if (this.ref.kind !== 'fifo') return true;
    const second = Math.floor(this.#time.now / 1000);
    if (second !== this.#second) [this.#second, this.#calls] = [second, 0];
    if (++this.#calls <= SQS.fifoCallsPerSecond) return true;
    this.refused++;
    return false;
  }
}
