import { encodeHint, type Hint } from '../../../../shared/job/hint.ts';
import { routeHint } from '../../../../shared/job/hint-route.ts';
import { visibilityTimeoutMs } from '../../../../shared/job/lease.ts';
import { LIMITS } from '../../../../shared/job/size-limits.ts';
import type { Deployment } from '../../../../shared/config/environment.ts';
import { MemoryQueue } from '../../../../shared/adapters/memory/queue.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../../../shared/ports/hints.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import { WrongMetrics } from '../faults/wrong-metrics.ts';
import type { QueueRequests } from './long-polls.ts';
import { never, type SimProcess } from './sim-process.ts';
import type { Step, StepFault } from './sim-tables.ts';
import type { Trace } from './trace.ts';
import { allQueues } from '../../../../testing/kit/event-source.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The queues of one worker, with everything that SQS may do to a message. */
export interface QueueDeps {
  readonly time: VirtualTime;
  readonly plan: FaultPlan;
  readonly trace: Trace;
  readonly entropy: Entropy;
  readonly deployment: Deployment;
  /** Asks what goes wrong at this step of a process, besides what the plan says; a crash before it has happened already. */
  readonly strike: (process: SimProcess, step: Step) => StepFault | undefined;
  /** Awaited before each request: whose turn it is. */
  readonly gate: (process: SimProcess, step: Step) => Promise<void> | undefined;
}

interface SendTally {
  sends: number;
  accepted: number;
  forwards: number;
}

const SEND_MS = 10;
const MOST_REORDER_MS = 900_000;
/** Lambda ends a chain of invocations that went through a queue about this often, unless it is told not to. */
const HOP_LIMIT = 16;

/** The queues of a simulated world. A message that is lost, doubled, late or refused is so by the plan. */
export class SimQueues {
  operations = 0;
  /** Messages that went astray, for the economy: each may cost one rescue. */
  astray = 0;
  /** By `id#n`: how often that hint was sent and accepted, and how often a message that asks to be forwarded was received. */
  readonly sends = new Map<string, SendTally>();
  /** Told each hint that a process sends, before anything becomes of it. */
  onSend: (process: SimProcess, hint: Hint) => void = () => {};
  onChange: () => void = () => {};
  readonly refs: readonly QueueRef[];
  readonly metrics: WrongMetrics;
  readonly #deps: QueueDeps;
  readonly #queues = new Map<string, MemoryQueue>();
  readonly #hops = new Map<string, number>();
  #ids = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.metrics = new WrongMetrics(deps.plan.wide, () => deps.time.now);
    this.refs = allQueues(deps.deployment.workers);
    for (const ref of this.refs) this.replace(ref);
  }

  /** An empty queue in place of the old one: a purge, or a queue that was made anew. */
  replace(ref: QueueRef): void {
    const { executorTimeoutMs, leaseMarginMs } = this.#deps.deployment.settings;
    this.astray += this.#queue(ref)?.visible(Number.MAX_SAFE_INTEGER) ?? 0;
    this.#queues.set(nameOf(ref), new MemoryQueue(ref, visibilityTimeoutMs(ref.kind, executorTimeoutMs, leaseMarginMs)));
  }

  /** What a process sends with. `hops`: how many invocations of its chain came before it. */
  sender(process: SimProcess, hops: () => number): HintSender {
    return {
      send: async (hints) => {
        const failed = await this.#ask(process, 'send', (copies) =>
          hints.filter((hint) => !this.#take(process, hint, { hops: hops(), copies })),
        );
        this.onChange();
        return failed;
      },
    };
  }

  /** What an executor does with the messages that it holds. */
  inbox(process: SimProcess): Inbox & Backlog {
    const { plan, time } = this.#deps;
    const ask = <Answer>(step: Step, answer: () => Answer): Promise<Answer> =>
      this.#ask(process, step, () => {
        this.operations++;
        return answer();
      });
    return {
      postpone: (message, ms) =>
        ask('postpone', () => {
          if (plan.strikes('postpone-failed')) return;
          const seconds = Math.ceil(Math.min(Math.max(ms, 0), LIMITS.visibilityMs) / 1000);
          this.#queue(message.queue)?.postpone(message.receiptHandle, time.now + seconds * 1000);
          this.onChange();
        }),
      discard: (messages) => ask('discard', () => this.acknowledge(messages)),
      reject: () => ask('reject', () => {}),
      visible: (queue) => ask('visible', () => this.#visible(queue)),
    };
  }

  /** The requests of a process without an event source. Of a receive whose reply is lost the messages are hidden for a while. */
  requests(process: SimProcess): QueueRequests {
    return {
      receive: (queue, max) =>
        this.#ask(process, 'receive', (asked) => {
          if (asked === 2) this.receive(queue, max);
          return this.receive(queue, max);
        }),
      acknowledge: (message) => this.#ask(process, 'acknowledge', () => this.acknowledge([message])),
    };
  }

  /** Messages that are not told may cost a rescue each. */
  #visible(queue: QueueRef): number | undefined {
    const visible = this.#queue(queue)?.visible(this.#deps.time.now);
    const told = this.metrics.tell(queue, visible);
    this.astray += Math.max(0, (visible ?? 0) - (told ?? 0));
    return told;
  }

  /** A request: a lost reply makes the SDK ask again, which for a send means a second message. */
  async #ask<Answer>(process: SimProcess, step: Step, answer: (copies: 1 | 2) => Answer): Promise<Answer> {
    const turn = this.#deps.gate(process, step);
    if (turn !== undefined) await turn;
    const fault = this.#deps.strike(process, step);
    // What it made ready is found by the sweeper.
    if (step === 'send' && fault?.startsWith('crash')) this.astray++;
    await pass(process, SEND_MS);
    const result = answer(fault === 'lost-reply' ? 2 : 1);
    if (fault === 'crash-after') {
      process.kill();
      return never();
    }
    if (step === 'send') await pass(process, SEND_MS);
    return result;
  }

  receive(ref: QueueRef, max: number): readonly ReceivedHint[] {
    const { plan, time } = this.#deps;
    const messages = this.#queue(ref)?.receive(max, time.now) ?? [];
    if (messages.length > 0) this.operations++;
    return messages.filter((message) => {
      if (plan.has('hop-limit') && this.hopsOf(message) >= HOP_LIMIT) return this.#drop(message, 'hop-dropped');
      const receives = this.#deps.deployment.settings.maxReceiveCount;
      if (plan.wide.has('receives-used-up') && message.receiveCount > receives) return this.#drop(message, 'receives-used-up');
      if (message.body.includes('"fwd":1')) this.#tallyForward(message.body);
      if (!plan.strikes('received-and-vanished')) return true;
      this.astray++;
      return false;
    });
  }

  acknowledge(messages: readonly ReceivedHint[]): void {
    if (messages.length === 0) return;
    this.operations++;
    for (const message of messages) {
      if (!this.#deps.plan.strikes('acknowledge-lost')) this.#queue(message.queue)?.acknowledge(message.receiptHandle);
    }
  }

  hopsOf(message: ReceivedHint): number {
    return this.#hops.get(message.messageId) ?? 0;
  }

  /** When a message can be received first, of the queues that count. */
  nextVisibleAt(counts: (ref: QueueRef) => boolean = () => true): number | undefined {
    const refs = this.refs.filter(counts);
    const times = refs.flatMap((ref) => this.#queue(ref)?.nextVisibleAt(this.#deps.time.now) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Puts a text into a queue, as anybody with access to it could. */
  inject(ref: QueueRef, body: string): void {
    this.#put(ref, { body, delayMs: 0, hops: 0 });
    this.onChange();
  }

  #take(process: SimProcess, hint: Hint, sent: { readonly hops: number; readonly copies: 1 | 2 }): boolean {
    this.announce(process, hint);
    return this.accept(hint, sent);
  }

  /** A process sends this hint, whatever becomes of it. */
  announce(process: SimProcess, hint: Hint): void {
    const { trace, time } = this.#deps;
    this.operations++;
    this.#tally(`${hint.id}#${hint.n}`).sends++;
    this.onSend(process, hint);
    trace.note(time.now, process.name, `send ${hint.id} n=${hint.n} delay=${hint.delayMs}`);
  }

  /** A request with this hint reached its queue; false when the queue does not take it. */
  accept(hint: Hint, { hops, copies }: { readonly hops: number; readonly copies: 1 | 2 }): boolean {
    const { plan, entropy, deployment } = this.#deps;
    if (plan.strikes('send-failed')) {
      this.astray++;
      return false;
    }
    const route = routeHint(hint, deployment.workers.get(hint.worker));
    if (route === undefined) return false;
    this.#tally(`${hint.id}#${hint.n}`).accepted++;
    if (plan.strikes('message-lost')) {
      this.astray++;
      return true;
    }
    const ref: QueueRef = { worker: hint.worker, lane: route.kind === 'fifo' ? '' : route.lane, kind: route.kind };
    const late = route.kind === 'standard' && plan.strikes('message-reordered') ? Math.floor(entropy.random() ** 4 * MOST_REORDER_MS) : 0;
    if (late > deployment.settings.redispatchAfterMs) this.astray++;
    const message = { body: encodeHint(hint, route.forward), delayMs: route.delaySeconds * 1000 + late, hops };
    const ordered = route.kind === 'fifo' ? { group: hint.groupHash ?? '', deduplication: `${hint.id}#${hint.n}` } : {};
    for (let copy = 0; copy < copies; copy++) this.#put(ref, { ...message, ...ordered });
    if (plan.strikes('message-doubled')) this.#put(ref, { ...message, ...(route.kind === 'fifo' ? { group: hint.groupHash ?? '' } : {}) });
    // An entry of a batch that is told as failed may have been delivered all the same.
    return !plan.wide.strikes('partial-batch', 0.03);
  }

  #put(
    ref: QueueRef,
    { hops, delayMs, ...message }: { body: string; delayMs: number; hops: number; group?: string; deduplication?: string },
  ): void {
    const { time } = this.#deps;
    const id = `m${++this.#ids}`;
    this.#hops.set(id, hops);
    this.#queue(ref)?.send({ id, ...message, visibleAt: time.now + delayMs }, time.now);
  }

  /**
   * Lambda is not invoked with it; the message ends in the dead-letter queue. "When the `ReceiveCount` for a message exceeds the
   * `maxReceiveCount` for a queue, SQS moves the message to the dead-letter-queue" (CloudFormation's AWS::SQS::Queue, RedrivePolicy). On a
   * FIFO queue what is behind it in its group comes next: "Don't use a dead-letter queue with a FIFO queue if you don't want to break the
   * exact order" (docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html).
   */
  #drop(message: ReceivedHint, why: 'hop-dropped' | 'receives-used-up'): false {
    this.#deps.plan.count(why);
    this.#queue(message.queue)?.acknowledge(message.receiptHandle);
    this.astray++;
    return false;
  }

  #tally(hint: string): SendTally {
    const tally = this.sends.get(hint) ?? { sends: 0, accepted: 0, forwards: 0 };
    this.sends.set(hint, tally);
    return tally;
  }

  #tallyForward(body: string): void {
    const { id, n } = JSON.parse(body) as { readonly id: string; readonly n: number };
    this.#tally(`${id}#${n}`).forwards++;
  }

  #queue(ref: QueueRef): MemoryQueue | undefined {
    return this.#queues.get(nameOf(ref));
  }
}

function nameOf({ worker, lane, kind }: QueueRef): string {
  return kind === 'fifo' ? `${worker}.fifo` : `${worker}/${lane}`;
}

/** A step of a process that takes time; a dead one never comes back from it. */
function pass(process: SimProcess, ms: number): Promise<void> {
  return process.alive ? new Promise((resolve) => process.deliver(ms, resolve)) : never();
}
