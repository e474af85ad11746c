import type { Row, SingleWrite, Tables } from '../../../../shared/ports/tables.ts';
import type { StoreFault } from '../faults/fault-plan.ts';
import { type Call, presentCall } from '../world/named-calls.ts';
import { never, type SimProcess } from '../world/sim-process.ts';
import type { StoreRequest, StoreWorld } from '../world/sim-tables.ts';
import type { AnswerInvariants, SeenAttempt } from './answer-invariants.ts';
import { Attempt } from './attempt.ts';
import { type DynamoRequest, readDynamoRequest, writesOf } from './dynamo-request.ts';
import { performStatement, serviceError, type StatementAnswer } from './dynamo-service.ts';
import { InvalidRequestError, understood } from './invalid-request.ts';
import { answerWithFaults, conflicting, refusedBatch, throttled, unprocessed } from './faulty-replies.ts';
import type { PendingWrite, PendingWrites } from './pending-writes.ts';
import { answerStatement, replyTo, replyToPut } from './statement-replies.ts';
import type { AttemptTerms, WireReply, WireRequest } from './wire-client.ts';
import type { WireFaults } from './wire-faults.ts';
import type { ShownWrite } from './write-request.ts';

/** A world whose processes reach the store over a wire. */
export interface WiredWorld extends StoreWorld {
  readonly wire: {
    readonly faults: WireFaults;
    /** What strikes single statements; absent where every write goes by itself. */
    readonly ofStatements?: WireFaults;
    /** What refuses whole batches; absent where the store takes all of them. */
    readonly ofBatches?: WireFaults;
    /** Until when the transaction of a token is under way, and a repeat of it is told so. */
    readonly underWay: Map<string, number>;
    /** Told what a call of the port said that was not true. */
    readonly untrue: (what: string) => void;
  };
}

/** The longest time between the first and the last statement of a request. */
const APART_MS = 8;
const STALE_MS = 2_500;
const UNDER_WAY_MS = { least: 500, most: 8_000 } as const;
/** What a service says whose clock is far from the client's. */
const LONG_AGO = new Date(0);

/** The wire between the client of one process and the store: attempts take time and go wrong as the plan of the seed says. */
export class ProcessWire {
  readonly #world: WiredWorld;
  readonly #process: SimProcess;
  /** Calls for which nothing comes back any more. */
  readonly #lost = new Set<string>();

  constructor(world: WiredWorld, process: SimProcess) {
    this.#world = world;
    this.#process = process;
  }

  /** Carries one attempt of a call. `unfenced`: a write that nothing but its window keeps from being applied late. */
  carry(request: WireRequest, terms: AttemptTerms, { unfenced, invariants }: SentFor): Promise<WireReply> {
    const process = this.#process;
    if (!process.alive) return never();
    const attempt = new Attempt(this.#world.time, process, terms);
    const asked = understood(this.#world.time, () => readDynamoRequest(request.operation, request.body));
    const seen = invariants.begin(asked.op === 'get');
    void attempt.ended.then(
      (reply) => (seen.reply = reply),
      () => {},
    );
    return this.#carry(attempt, { asked, seen, unfenced, invariants, call: request.call });
  }

  /** Carries one attempt of a request that belongs to several calls. */
  carryBatch(request: WireRequest, terms: AttemptTerms, pending: PendingWrites): Promise<WireReply> {
    const process = this.#process;
    if (!process.alive) return never();
    const attempt = new Attempt(this.#world.time, process, terms);
    const [asked, writes] = understood(this.#world.time, () => {
      const read = readDynamoRequest(request.operation, request.body);
      if (read.op !== 'statements' && read.op !== 'putAll') throw new InvalidRequestError(`${request.operation} is nobody's`);
      return [read, writesOf(read).map((write) => pending.find(write as SingleWrite))] as const;
    });
    const members = writes.map((one): PassengerSent => ({ ...one, seen: one.invariants.begin() }));
    void attempt.ended.then(
      (reply) => {
        for (const [at, { seen, write }] of members.entries()) {
          const said = asked.op === 'putAll' ? replyToPut(write, reply) : replyTo(at, reply);
          if (said !== undefined) seen.reply = said;
        }
      },
      () => {},
    );
    const { invariants, seen } = members[0] as PassengerSent;
    return this.#carry(attempt, { asked, seen, unfenced: asked.op === 'putAll', invariants, call: request.call, members });
  }

  #carry(attempt: Attempt, sent: Omit<Sent, 'fault'>): Promise<WireReply> {
    const { asked } = sent;
    const process = this.#process;
    const fault = this.#world.chaos.faultOf(process, storeRequestOf(asked));
    if (fault === 'crash-before') {
      process.kill();
      return never();
    }
    if (fault === 'pause') this.#pause();
    this.#send(attempt, { ...sent, fault });
    return attempt.ended;
  }

  #pause(): void {
    const { chaos, time } = this.#world;
    this.#process.freeze('pause');
    time.after(chaos.pauseMs(this.#process), () => this.#process.thaw('pause'));
  }

  #send(attempt: Attempt, sent: Sent): void {
    const { chaos, wire } = this.#world;
    const process = this.#process;
    const [there, back] = [chaos.latency(), chaos.latency()];
    const late = (): number => (sent.unfenced ? there : chaos.lateMs());
    if (this.#lost.has(sent.call)) return attempt.broken(there + back, 'ECONNREFUSED');
    switch (sent.fault) {
      case 'unavailable':
        return attempt.broken(there + back, 'ECONNREFUSED');
      case 'throttled':
        return attempt.answer(there + back, throttled(sent.asked, wire.faults));
      case 'conflict':
        return attempt.answer(there + back, conflicting(sent.asked, wire.faults));
      case 'lost-for-good':
        this.#lost.add(sent.call);
        this.#reach(sent, there);
        return attempt.silence();
      case 'lost-reply':
        this.#reach(sent, there);
        return attempt.silence();
      case 'late-write':
        // What nothing fences is applied soon or never: docs/reference/guarantees.md names that assumption.
        process.troubles++;
        this.#reach(sent, late());
        return attempt.silence();
      case 'zombie':
        process.kill();
        return this.#reach(sent, late());
      case 'frozen-after':
        this.#reach(sent, there);
        this.#pause();
        return attempt.silence();
      case 'crash-after':
        return this.#reach(sent, there, () => process.kill());
      default:
        return this.#sendOverFaultyWire(attempt, sent, { there, back: back + (sent.fault === 'stale-read' ? STALE_MS : 0) });
    }
  }

  #sendOverFaultyWire(attempt: Attempt, sent: Sent, { there, back }: { readonly there: number; readonly back: number }): void {
    const { faults, underWay, ofBatches } = this.#world.wire;
    const { time } = this.#world;
    const { asked } = sent;
    if (sent.members !== undefined && ofBatches?.strikes('wire-batch-refused') === true) {
      return attempt.answer(there + back, refusedBatch(ofBatches));
    }
    if (faults.strikes('wire-reset')) {
      if (faults.between(0, 1) === 1) this.#reach(sent, there);
      return attempt.broken(there + back, 'ECONNRESET');
    }
    if (faults.strikes('wire-failed')) {
      if (faults.between(0, 1) === 1) this.#reach(sent, there);
      return attempt.answer(there + back, serviceError('InternalServerError', {}, 500));
    }
    // Who may have written meets credentials that have run out meanwhile: a refusal that says nothing of the attempt before.
    if (writesOf(asked).length > 0 && sent.invariants.unsure > 0 && faults.strikes('wire-denied')) {
      return attempt.answer(there + back, serviceError('ExpiredTokenException'));
    }
    if (asked.op === 'transact') {
      if ((underWay.get(asked.token) ?? 0) > time.now) return attempt.answer(there + back, serviceError('TransactionInProgressException'));
      if (!sent.unfenced && faults.strikes('wire-in-progress')) {
        const ms = faults.between(UNDER_WAY_MS.least, UNDER_WAY_MS.most);
        underWay.set(asked.token, time.now + ms);
        this.#reach(sent, ms);
        return attempt.silence();
      }
    }
    if (!attempt.isInTime(there + back)) {
      this.#reach(sent, there);
      return attempt.silence();
    }
    this.#reach(sent, there, (reply) => attempt.answer(back, faults.strikes('wire-clock-off') ? { ...reply, date: LONG_AGO } : reply));
  }

  /** What reaches the store does so whatever becomes of the process meanwhile. */
  #reach({ asked, seen, members = [] }: Sent, ms: number, then: (reply: WireReply) => void = () => {}): void {
    const { time, wire } = this.#world;
    if (asked.op === 'statements') return this.#reachEach(asked.statements, members, ms, then);
    if (asked.op === 'putAll' && members.length > 0) return this.#reachEachPut(members, ms, then);
    const mine = this.#storeFor(seen, presentCall());
    time.after(ms, () => {
      void answerWithFaults(mine, asked, wire.faults).then(then, this.#bug);
    });
  }

  /** The statements of a request are done one by one. */
  #reachEach(
    statements: (DynamoRequest & { readonly op: 'statements' })['statements'],
    members: readonly PassengerSent[],
    ms: number,
    then: (reply: WireReply) => void,
  ): void {
    const faults = this.#world.wire.ofStatements ?? this.#world.wire.faults;
    const perform = (mine: Tables, at: number): Promise<StatementAnswer> =>
      answerStatement(faults, () => performStatement(mine, statements[at] as ShownWrite<SingleWrite>));
    this.#oneByOne(members, { ms, perform }, (Responses) => then({ status: 200, body: { Responses } }));
  }

  /** So are puts, of which some may be given back. */
  #reachEachPut(members: readonly PassengerSent[], ms: number, then: (reply: WireReply) => void): void {
    const faults = this.#world.wire.ofStatements ?? this.#world.wire.faults;
    const puts = members.map(({ write }) => write as SingleWrite & { readonly op: 'put' });
    const perform = async (mine: Tables, at: number): Promise<readonly Row[]> => {
      const { row } = puts[at] as (typeof puts)[number];
      if (faults.strikes('wire-put-unprocessed')) return [row];
      await mine.write({ op: 'put', table: puts[0]?.table ?? 'jobs', row });
      return [];
    };
    this.#oneByOne(members, { ms, perform }, (left) => then(unprocessed(puts[0]?.table ?? 'jobs', left.flat())));
  }

  /** In any order, and others come in between. */
  #oneByOne<Answer>(
    members: readonly PassengerSent[],
    { ms, perform }: { readonly ms: number; readonly perform: (mine: Tables, at: number) => Promise<Answer> },
    then: (answers: readonly Answer[]) => void,
  ): void {
    const { time, wire } = this.#world;
    const faults = wire.ofStatements ?? wire.faults;
    const answers: Answer[] = [];
    let left = members.length;
    for (const [at, { seen, call }] of members.entries()) {
      const mine = this.#storeFor(seen, call);
      time.after(ms + faults.between(0, APART_MS), () => {
        void perform(mine, at).then((answer) => {
          answers[at] = answer;
          left -= 1;
          if (left === 0) then(answers);
        }, this.#bug);
      });
    }
  }

  readonly #bug = (error: unknown): void =>
    this.#world.time.after(0, () => {
      throw error;
    });

  /** The store as one attempt reaches it. */
  #storeFor(seen: SeenAttempt, call: Call | undefined): Tables {
    const { store } = this.#world;
    const process = this.#process;
    return {
      get: (table, key) => store.get(table, key),
      query: (query) => store.query(query),
      scan: (scan) => store.scan(scan),
      write: (write) => store.write(process, write, call).then((outcome) => noted(outcome, seen)),
      transact: (writes, token) => store.transact(process, writes, token, call).then((outcome) => noted(outcome, seen)),
      putAll(table, rows) {
        seen.rows = rows;
        return store.putAll(process, table, rows, call);
      },
    };
  }
}

function noted<Outcome extends { readonly applied: boolean }>(outcome: Outcome, seen: SeenAttempt): Outcome {
  seen.applied = outcome.applied;
  return outcome;
}

/** The call of the port that an attempt belongs to. */
export interface SentFor {
  readonly unfenced: boolean;
  readonly invariants: AnswerInvariants;
}

/** One attempt on its way. */
interface Sent extends SentFor {
  readonly asked: DynamoRequest;
  readonly fault: StoreFault | undefined;
  readonly seen: SeenAttempt;
  readonly call: string;
  /** Of a request that carries several writes: what they belong to. */
  readonly members?: readonly PassengerSent[];
}

/** One write of such an attempt. */
interface PassengerSent extends PendingWrite {
  readonly seen: SeenAttempt;
}

function storeRequestOf(asked: DynamoRequest): StoreRequest {
  return {
    op: asked.op === 'statements' ? 'write' : asked.op,
    writes: writesOf(asked),
    stale: asked.op === 'scan' || (asked.op === 'query' && asked.query.consistent !== true),
  };
}
