import { chunks } from '../../../shared/adapters/aws/backoff.ts';
import type { WorkerQueues } from '../../../shared/config/environment.ts';
import { encodeHint, type Hint } from '../../../shared/job/hint.ts';
import { routeHint } from '../../../shared/job/hint-route.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../../shared/ports/hints.ts';
import { SQS } from './aws-limits.ts';
import type { Latencies } from './latency.ts';
import { type ModelMessage, ModelQueue } from './model-queue.ts';
import type { ModelTime } from './model-time.ts';

/** As the SQS adapter: batches of ten, this many at a time. */
const PARALLEL_BATCHES = 16;

interface Routed {
  readonly queue: ModelQueue;
  readonly delayMs: number;
  readonly message: ModelMessage;
}

/** The queues of a deployment with SQS's batches, latencies and limits. Messages that a FIFO queue refuses are returned, for the sweeper to send. */
export class ModelHints implements HintSender, Inbox, Backlog {
  /** Sends, receives and deletes; those of standard queues with a tenant are billed as fair ones. */
  readonly requests = { standard: 0, fair: 0, fifo: 0 };
  readonly queues: readonly ModelQueue[];
  /** How long messages that were postponed are hidden, by receipt, until their batch has ended. */
  readonly postponed = new Map<string, number>();
  readonly #time: ModelTime;
  readonly #latencies: Latencies;
  readonly #workers: ReadonlyMap<string, WorkerQueues>;
  readonly #byName = new Map<string, ModelQueue>();
  #sent = 0;

  constructor(time: ModelTime, latencies: Latencies, workers: ReadonlyMap<string, WorkerQueues>) {
    this.#time = time;
    this.#latencies = latencies;
    this.#workers = workers;
    for (const [worker, { lanes, fifo }] of workers) {
      for (const lane of Object.keys(lanes)) this.#open({ worker, lane, kind: 'standard' });
      if (fifo !== undefined) this.#open({ worker, lane: '', kind: 'fifo' });
    }
    this.queues = [...this.#byName.values()];
  }

  async send(hints: readonly Hint[]): Promise<readonly Hint[]> {
    const routed = hints.map((hint) => ({ hint, to: this.#route(hint) }));
    const lost = routed.flatMap(({ hint, to }) => (to === undefined ? [hint] : []));
    const byQueue = Map.groupBy(
      routed.flatMap(({ hint, to }) => (to === undefined ? [] : [{ hint, to }])),
      ({ to }) => to.queue,
    );
    const batches = [...byQueue].flatMap(([queue, some]) => chunks(some, SQS.batch).map((batch) => ({ queue, batch })));
    const left = await mapLimited(batches, PARALLEL_BATCHES, async ({ queue, batch }) => {
      await this.#latencies.pass(SQS.sendMs);
      this.count(queue, batch[0]?.to.message.group);
      const byDelay = Map.groupBy(batch, ({ to }) => to.delayMs);
      const refused = [...byDelay].filter(
        ([delayMs, some]) =>
          !queue.send(
            some.map(({ to }) => to.message),
            delayMs,
          ),
      );
      return refused.flatMap(([, some]) => some.map(({ hint }) => hint));
    });
    return [...lost, ...left.flat()];
  }

  async postpone({ receiptHandle }: ReceivedHint, ms: number): Promise<void> {
    await this.#latencies.pass(SQS.deleteMs);
    this.postponed.set(receiptHandle, Math.ceil(Math.max(0, ms) / 1000) * 1000);
  }

  async discard(): Promise<void> {
    throw new Error('No handler of the model outlives its attempt.');
  }

  async reject(_message: ReceivedHint, reason: string): Promise<void> {
    throw new Error(`No message of the model is unreadable: ${reason}`);
  }

  async visible(queue: QueueRef): Promise<number | undefined> {
    await this.#latencies.pass(SQS.sendMs);
    return this.queueOf(queue)?.visible;
  }

  queueOf(queue: QueueRef): ModelQueue | undefined {
    return this.#byName.get(nameOf(queue));
  }

  /** Fills a queue with copies of a message, only to be counted: the initial state of a scenario. */
  placeUnread(like: Hint, count: number): void {
    this.#route(like)?.queue.placeUnread(count);
  }

  /** Counts a request to a queue. */
  count(queue: ModelQueue, group: string | undefined): void {
    this.requests[queue.ref.kind === 'fifo' ? 'fifo' : group === undefined ? 'standard' : 'fair']++;
  }

  #open(ref: QueueRef): void {
    this.#byName.set(nameOf(ref), new ModelQueue(ref, this.#time));
  }

  #route(hint: Hint): Routed | undefined {
    const route = routeHint(hint, this.#workers.get(hint.worker));
    const queue = route && this.queueOf({ worker: hint.worker, ...route });
    if (route === undefined || queue === undefined) return undefined;
    const group = route.kind === 'fifo' ? hint.groupHash : hint.tenantHash;
    const message = {
      id: `m${++this.#sent}`,
      body: encodeHint(hint, route.forward),
      receives: 0,
      ...(group === undefined ? {} : { group }),
    };
    return { queue, message, delayMs: route.delaySeconds * 1000 };
  }
}

const nameOf = ({ worker, lane, kind }: QueueRef): string => `${worker}/${kind === 'fifo' ? 'fifo' : lane}`;
