import { ANSWER_MS } from '../../../../shared/job/lease.ts';
import type { Hint } from '../../../../shared/job/hint.ts';
import type { HintSender } from '../../../../shared/ports/hints.ts';
import { sqsRetries } from '../../../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../../../shared/adapters/sqs/hints.ts';
import type { Deployment } from '../../../../shared/config/environment.ts';
import { never, type SimProcess } from '../world/sim-process.ts';
import type { SimQueues } from '../world/sim-queues.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import { Attempt } from './attempt.ts';
import { understood } from './invalid-request.ts';
import { onBehalfOf, type Sender, sharedClients } from './shared-clients.ts';
import { failed, readSendBatch, type SentEntry, taken } from './sqs-service.ts';
import type { AttemptTerms, WireReply, WireRequest } from './wire-client.ts';
import type { WiredWorld } from './process-wire.ts';

/** A world whose processes reach the queues over a wire. */
export interface WiredQueues {
  readonly time: VirtualTime;
  readonly queues: SimQueues;
  readonly deployment: Deployment;
  readonly wire: WiredWorld['wire'];
}

const SEND_MS = 10;

/** What a process sends with through the real adapter and the real client, over a wire that goes wrong. `openWire` comes first. */
export function processHints(world: WiredQueues, process: SimProcess, hops: () => number): HintSender {
  const retries = sqsRetries(process);
  const deadlineAt = (): number | undefined => (Number.isFinite(process.deadlineAt) ? process.deadlineAt - ANSWER_MS : undefined);
  const { workers } = world.deployment;
  const shared = new SendCall(world, process);
  const together: Sender = { retries, carry: (request, terms) => shared.carry(request, terms) };
  const afterTurn = (run: () => void): void => process.deliver(0, () => void onBehalfOf(together, async () => run()));
  const sqs = createSqsHints({
    client: sharedClients().sqs,
    workers,
    clock: process.clock,
    entropy: process.entropy,
    deadlineAt,
    ...(world.wire.ofStatements === undefined ? {} : { afterTurn }),
  });
  return {
    async send(hints) {
      for (const hint of hints) world.queues.announce(process, hint);
      const call = world.wire.ofStatements === undefined ? new SendCall(world, process) : shared;
      call.add(hints, hops());
      const left = await onBehalfOf({ retries, carry: (request, terms) => call.carry(request, terms) }, () => sqs.send(hints));
      call.check(hints, left);
      world.queues.onChange();
      return left;
    },
  };
}

/** The attempts on the wire of one call of the port, or of all calls of a process where they share requests, and what became of each hint. */
class SendCall {
  readonly #world: WiredQueues;
  readonly #process: SimProcess;
  /** What is being sent. */
  readonly #sending = new Set<Hint>();
  /** How many invocations came before in the chain of its sender. */
  readonly #hops = new WeakMap<Hint, number>();
  /** Messages: what two callers send of one job at once may be the same. */
  readonly #accepted = new Set<string>();

  constructor(world: WiredQueues, process: SimProcess) {
    this.#world = world;
    this.#process = process;
  }

  add(hints: readonly Hint[], hops: number): void {
    for (const hint of hints) {
      this.#sending.add(hint);
      this.#hops.set(hint, hops);
    }
  }

  carry({ body }: WireRequest, terms: AttemptTerms): Promise<WireReply> {
    const { time, wire, deployment } = this.#world;
    if (!this.#process.alive) return never();
    const attempt = new Attempt(time, this.#process, terms);
    const entries = understood(time, () => readSendBatch(body, [...this.#sending], deployment.workers));
    const arrive = (then: (reply: WireReply) => void = () => {}): void => time.after(SEND_MS, () => then(this.#serve(entries)));
    if (wire.faults.strikes('wire-reset')) {
      if (wire.faults.between(0, 1) === 1) arrive();
      attempt.broken(2 * SEND_MS, 'ECONNRESET');
    } else if (wire.faults.strikes('wire-failed')) {
      if (wire.faults.between(0, 1) === 1) arrive();
      attempt.answer(2 * SEND_MS, { status: 500, body: { __type: 'com.amazonaws.sqs#InternalFailure', message: 'failed' } });
    } else if (attempt.isInTime(2 * SEND_MS)) arrive((reply) => attempt.answer(SEND_MS, reply));
    else {
      arrive();
      attempt.silence();
    }
    return attempt.ended;
  }

  /** The queue takes what it takes, and does not always say so. */
  #serve(entries: readonly SentEntry[]): WireReply {
    const { faults } = this.#world.wire;
    const [Successful, Failed]: [object[], object[]] = [[], []];
    for (const entry of entries) {
      const isMentioned = !faults.strikes('wire-entry-unmentioned');
      const isTaken = (isMentioned || faults.between(0, 1) === 1) && this.#accept(entry);
      if (isTaken) this.#accepted.add(messageOf(entry.hint));
      if (!isMentioned) continue;
      const isTold = isTaken && !faults.strikes('wire-entry-failed');
      if (isTold) Successful.push(taken(entry));
      else Failed.push(failed(entry, ['InternalError', 'RequestThrottled'][faults.between(0, 1)] ?? ''));
    }
    this.#world.queues.onChange();
    return { status: 200, body: { Successful, Failed } };
  }

  #accept({ hint }: SentEntry): boolean {
    return this.#world.queues.accept(hint, { hops: this.#hops.get(hint) ?? 0, copies: 1 });
  }

  check(hints: readonly Hint[], left: readonly Hint[]): void {
    const gone = hints.filter((hint) => !left.includes(hint) && !this.#accepted.has(messageOf(hint)));
    for (const hint of hints) this.#sending.delete(hint);
    if (gone.length > 0) this.#world.wire.untrue(`${this.#process.name}, send: ${gone.length} hints are told as sent, and were not`);
  }
}

const messageOf = (hint: Hint): string => JSON.stringify(hint);
