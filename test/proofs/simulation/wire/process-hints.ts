import { ANSWER_MS } from '../../../../shared/core/lease.ts';
import type { Hint } from '../../../../shared/core/hint.ts';
import type { HintSender } from '../../../../shared/ports/hints.ts';
import { sqsRetries } from '../../../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../../../shared/adapters/sqs/hints.ts';
import type { Deployment } from '../../../../shared/config/environment.ts';
import { never, type SimProcess } from '../world/sim-process.ts';
import type { SimQueues } from '../world/sim-queues.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import { Attempt } from './attempt.ts';
import { understood } from './invalid-request.ts';
import { onBehalfOf, sharedClients } from './shared-clients.ts';
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
  const sqs = createSqsHints({ client: sharedClients().sqs, workers, clock: process.clock, entropy: process.entropy, deadlineAt });
  return {
    async send(hints) {
      for (const hint of hints) world.queues.announce(process, hint);
      const call = new SendCall(world, process, hints, hops());
      const left = await onBehalfOf({ retries, carry: (request, terms) => call.carry(request, terms) }, () => sqs.send(hints));
      call.check(left);
      world.queues.onChange();
      return left;
    },
  };
}

/** One call of the port: its attempts on the wire, and what became of each hint. */
class SendCall {
  readonly #world: WiredQueues;
  readonly #process: SimProcess;
  readonly #hints: readonly Hint[];
  readonly #hops: number;
  readonly #accepted = new Set<Hint>();

  constructor(world: WiredQueues, process: SimProcess, hints: readonly Hint[], hops: number) {
    this.#world = world;
    this.#process = process;
    this.#hints = hints;
    this.#hops = hops;
  }

  carry({ body }: WireRequest, terms: AttemptTerms): Promise<WireReply> {
    const { time, wire, deployment } = this.#world;
    if (!this.#process.alive) return never();
    const attempt = new Attempt(time, this.#process, terms);
    const entries = understood(time, () => readSendBatch(body, this.#hints, deployment.workers));
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
      const isTaken = (isMentioned || faults.between(0, 1) === 1) && this.#world.queues.accept(entry.hint, { hops: this.#hops, copies: 1 });
      if (isTaken) this.#accepted.add(entry.hint);
      if (!isMentioned) continue;
      const isTold = isTaken && !faults.strikes('wire-entry-failed');
      if (isTold) Successful.push(taken(entry));
      else Failed.push(failed(entry, ['InternalError', 'RequestThrottled'][faults.between(0, 1)] ?? ''));
    }
    this.#world.queues.onChange();
    return { status: 200, body: { Successful, Failed } };
  }

  check(left: readonly Hint[]): void {
    const gone = this.#hints.filter((hint) => !left.includes(hint) && !this.#accepted.has(hint));
    if (gone.length > 0) this.#world.wire.untrue(`${this.#process.name}, send: ${gone.length} hints are told as sent, and were not`);
  }
}
