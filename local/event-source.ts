import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { systemClock } from '../shared/adapters/system.ts';
import type { FunctionRuntime } from './function-runtime.ts';
import { failedMessages, sqsEvent } from './sqs-event.ts';
import { plural } from '../shared/job/plural.ts';

/** Options of an event-source mapping. The visibility timeout and the redrive policy belong to the queue. */
export interface EventSourceOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly runtime: FunctionRuntime;
  readonly functionTimeoutMs: number;
  readonly batchSize: number;
  readonly batchWindowMs?: number;
  /** Invocations of this mapping at the same time. */
  readonly maxConcurrency: number;
  /** Seconds that a receive waits for a message; `stop` waits for a poll to end. Default 1. */
  readonly pollSeconds?: number;
  /** Failed polls, deletes and invocations; the messages come back when their visibility timeout ends. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A running mapping. */
export interface EventSource {
  readonly queueUrl: string;
  /** Invocations that have not ended. */
  readonly running: number;
  /** Stops polling, waits up to `graceMs` for invocations, and gives back how many messages were still with the function. */
  stop(graceMs: number): Promise<number>;
}

const MAX_RECEIVE = 10;
const POLL_ERROR_PAUSE_MS = 500;
const DELETE_TRIES = 3;

/** Starts an event-source mapping as Lambda runs it for SQS, partial batch responses reported. */
export async function startEventSource(options: EventSourceOptions): Promise<EventSource> {
  const { Attributes } = await options.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: options.queueUrl, AttributeNames: ['QueueArn'] }),
  );
  const mapping = new Mapping(options, Attributes?.['QueueArn'] ?? '');
  const polling = mapping.poll();
  return {
    queueUrl: options.queueUrl,
    get running() {
      return mapping.batches.size;
    },
    stop: (graceMs) => mapping.stop(polling, graceMs),
  };
}

class Mapping {
  readonly #options: EventSourceOptions;
  readonly #queueArn: string;
  readonly #stopping = new AbortController();
  /** The last batch of each message group: a group's next batch starts after it. */
  readonly #groups = new Map<string, Promise<void>>();
  readonly batches = new Map<Promise<void>, number>();

  constructor(options: EventSourceOptions, queueArn: string) {
    this.#options = options;
    this.#queueArn = queueArn;
  }

  async poll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#options.maxConcurrency > 0 && this.batches.size >= this.#options.maxConcurrency) {
        await Promise.race(this.batches.keys());
        continue;
      }
      try {
        const messages = await this.#gather();
        if (this.#stopping.signal.aborted) await this.#release(messages);
        else if (messages.length > 0) this.#start(messages);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#problem('receive', error);
        await systemClock.wait(POLL_ERROR_PAUSE_MS, this.#stopping.signal);
      }
    }
  }

  /** One poll, and more of them until the batch is full or its window has passed. */
  async #gather(): Promise<Message[]> {
    const { batchSize, batchWindowMs = 0, pollSeconds = 1 } = this.#options;
    const messages = await this.#receive(batchSize, pollSeconds);
    const until = systemClock.now() + batchWindowMs;
    while (messages.length > 0 && messages.length < batchSize && !this.#stopping.signal.aborted) {
      const left = until - systemClock.now();
      if (left <= 0) break;
      const more = await this.#receive(batchSize - messages.length, left >= 1000 ? 1 : 0);
      messages.push(...more);
      if (more.length === 0 && left < 1000) await systemClock.wait(Math.min(left, 100), this.#stopping.signal);
    }
    return messages;
  }

  async #receive(wanted: number, waitSeconds: number): Promise<Message[]> {
    const { Messages = [] } = await this.#options.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#options.queueUrl,
        MaxNumberOfMessages: Math.min(wanted, MAX_RECEIVE),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages;
  }

  /** A poll that ended after the stop: its messages are visible again at once. */
  async #release(messages: readonly Message[]): Promise<void> {
    for (const { ReceiptHandle } of messages) {
      await this.#options.sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: this.#options.queueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    }
  }

  #start(messages: readonly Message[]): void {
    const groups = new Set(messages.flatMap((message) => (this.#isFifo ? [message.Attributes?.['MessageGroupId'] ?? ''] : [])));
    const before = [...groups].flatMap((group) => this.#groups.get(group) ?? []);
    const batch: Promise<void> = Promise.all(before)
      .then(() => this.#invoke(messages))
      .finally(() => {
        this.batches.delete(batch);
        for (const group of groups) if (this.#groups.get(group) === batch) this.#groups.delete(group);
      });
    this.batches.set(batch, messages.length);
    for (const group of groups) this.#groups.set(group, batch);
  }

  async #invoke(messages: readonly Message[]): Promise<void> {
    const { runtime, functionTimeoutMs } = this.#options;
    const event = sqsEvent(messages, this.#queueArn);
    try {
      const response = await runtime.invoke(event, { timeoutMs: functionTimeoutMs });
      const failed = failedMessages(
        response,
        event.Records.map((record) => record.messageId),
      );
      await this.#delete(messages.filter((message) => !failed.has(message.MessageId ?? '')));
    } catch (error) {
      this.#problem(`invoke ${runtime.name}`, error);
    }
  }

  async #delete(messages: readonly Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += MAX_RECEIVE) {
      let left = messages.slice(start, start + MAX_RECEIVE);
      for (let tries = 0; left.length > 0 && tries < DELETE_TRIES; tries += 1) {
        const { Failed = [] } = await this.#options.sqs.send(
          new DeleteMessageBatchCommand({
            QueueUrl: this.#options.queueUrl,
            Entries: left.map((message, index) => ({ Id: String(index), ReceiptHandle: message.ReceiptHandle })),
          }),
        );
        left = left.filter((_, index) => Failed.some((failure) => failure.Id === String(index)));
      }
      if (left.length > 0)
        this.#problem('delete', new Error(`${left.length} ${plural(left.length, 'message was', 'messages were')} not deleted`));
    }
  }

  async stop(polling: Promise<void>, graceMs: number): Promise<number> {
    this.#stopping.abort();
    const drained = polling.then(() => Promise.all(this.batches.keys()));
    const enough = new AbortController();
    await Promise.race([drained, systemClock.wait(graceMs, enough.signal)]);
    enough.abort();
    return [...this.batches.values()].reduce((sum, count) => sum + count, 0);
  }

  get #isFifo(): boolean {
    return this.#queueArn.endsWith('.fifo');
  }

  #problem(what: string, error: unknown): void {
    this.#options.onProblem?.(what, error);
  }
}
