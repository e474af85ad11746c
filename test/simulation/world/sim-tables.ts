import { outcomeUnknown, StoreUnavailableError } from '../../../shared/core/errors.ts';
import { TOKEN_TRUSTED_MS } from '../../../shared/core/lease.ts';
import type { Tables, Write, WriteWindow } from '../../../shared/ports/tables.ts';
import type { StoreFault } from '../faults/fault-plan.ts';
import type { ObservedStore } from './observed-store.ts';
import { presentCall } from './named-calls.ts';
import { never, type SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A request on its way to the store. */
export interface StoreRequest {
  readonly op: 'get' | 'query' | 'scan' | 'write' | 'transact' | 'putAll';
  readonly writes: readonly Write[];
  /** An eventually consistent read: its answer may be old. */
  readonly stale: boolean;
}

/** What a process awaits besides its store: a request to a queue, or the passing of time. */
export type Step = 'send' | 'postpone' | 'reject' | 'visible' | 'wait';

/** What may go wrong at such a step; time passes or it does not, so only requests have an afterwards and a reply. */
export type StepFault = Extract<StoreFault, 'crash-before' | 'crash-after' | 'lost-reply' | 'pause'>;

/** What decides which requests go wrong: the seed, or an explorer that tries them all. */
export interface StoreChaos {
  /** The fault of one attempt of a request. */
  faultOf(process: SimProcess, request: StoreRequest): StoreFault | undefined;
  /** The fault of any other step that a process awaits. */
  faultOfStep?(process: SimProcess, step: Step): StepFault | undefined;
  /** How long one way takes, in milliseconds. */
  latency(): number;
  /** How long a paused process stands still, and a write that lingers is under way. */
  pauseMs(process: SimProcess): number;
  lateMs(): number;
}

/** The world that a process reaches its tables through. */
export interface StoreWorld {
  readonly time: VirtualTime;
  readonly store: ObservedStore;
  readonly chaos: StoreChaos;
}

const ATTEMPTS = 4;
const SOCKET_TIMEOUT_MS = 3_000;
const STALE_MS = 2_500;
const BACKOFF_MS = 100;

/** `refused`, `conflict`: certainly not applied. */
type NoAnswer = 'try-again' | 'refused' | 'give-up' | 'conflict';
type Reply<Answer> = { readonly answer: Answer } | { readonly none: NoAnswer };

/**
 * The tables as one process sees them: requests and replies take time and go wrong as the SDK's do, with the SDK's own tries
 * on top, so that a lost reply looks like a failed condition here too.
 */
export function simTables(world: StoreWorld, process: SimProcess): Tables {
  const ask = <Answer>(request: StoreRequest, apply: () => Promise<Answer>, window?: WriteWindow): Promise<Asked<Answer>> =>
    new Request(world, process, request).ask(apply, window);
  const read = async <Answer>(op: 'get' | 'query' | 'scan', stale: boolean, apply: () => Promise<Answer>): Promise<Answer> =>
    (await ask({ op, writes: [], stale }, apply)).answer as Answer;
  const { store } = world;
  return {
    get: (table, key) => read('get', false, () => store.get(table, key)),
    query: (query) => read('query', query.consistent !== true, () => store.query(query)),
    scan: (scan) => read('scan', true, () => store.scan(scan)),
    async write(write, window) {
      const call = presentCall();
      const request: StoreRequest = { op: 'write', writes: [write], stale: false };
      const { answer, attempts } = await ask(request, () => store.write(process, write, call), window);
      if (answer === 'conflict') throw new StoreUnavailableError('write', new Error('TransactionConflict'));
      return { ...answer, attempts };
    },
    async transact(writes, token, window) {
      const call = presentCall();
      const request: StoreRequest = { op: 'transact', writes, stale: false };
      const { answer, attempts, late } = await ask(request, () => store.transact(process, writes, token, call), window);
      const refused = answer === 'conflict' || !answer.applied;
      if (refused && late && attempts > 1) throw outcomeUnknown('transact', new Error('a refusal after the life of its token'));
      if (answer !== 'conflict') return { ...answer, attempts };
      return { applied: false, attempts, reasons: writes.map((_, index) => ({ code: index === 0 ? 'conflict' : 'none' })) };
    },
    async putAll(table, rows, window) {
      const call = presentCall();
      const writes = rows.map((row): Write => ({ op: 'put', table, row }));
      const { answer } = await ask({ op: 'putAll', writes, stale: false }, () => store.putAll(process, table, rows, call), window);
      return answer === 'conflict' ? rows : answer;
    },
  };
}

interface Asked<Answer> {
  readonly answer: Answer | 'conflict';
  /** The attempt that was answered, and those before it that may have been applied. */
  readonly attempts: number;
  /** The answer came after the life of a transaction's token. */
  readonly late: boolean;
}

class Request {
  readonly #world: StoreWorld;
  readonly #process: SimProcess;
  readonly #request: StoreRequest;

  constructor(world: StoreWorld, process: SimProcess, request: StoreRequest) {
    this.#world = world;
    this.#process = process;
    this.#request = request;
  }

  async ask<Answer>(apply: () => Promise<Answer>, { notAfter }: WriteWindow = {}): Promise<Asked<Answer>> {
    const { chaos, time } = this.#world;
    const process = this.#process;
    if (!process.alive) return never();
    let unsure = 0;
    let firstAt: number | undefined;
    const late = (): boolean => firstAt !== undefined && process.clock.now() > firstAt + TOKEN_TRUSTED_MS;
    for (let round = 1; ; round++) {
      const closed = notAfter !== undefined && process.clock.now() > notAfter;
      if (closed || (this.#request.op === 'transact' && late())) {
        this.#gaveUp();
        throw closed
          ? unavailable('the write window is closed')
          : outcomeUnknown('transact', new Error('no attempt after the life of its token'));
      }
      const fault = chaos.faultOf(process, this.#request);
      if (fault === 'crash-before') {
        process.kill();
        return never();
      }
      if (fault === 'pause') {
        process.freeze('pause');
        time.after(chaos.pauseMs(process), () => process.thaw('pause'));
      }
      firstAt ??= process.clock.now();
      const reply = await this.#send(fault, apply, notAfter !== undefined);
      if ('answer' in reply) return { answer: reply.answer, attempts: unsure + 1, late: late() };
      if (reply.none === 'try-again') unsure++;
      if (fault === 'late-write') process.troubles++;
      if (round >= ATTEMPTS || reply.none === 'give-up') this.#gaveUp();
      if (round >= ATTEMPTS && reply.none === 'conflict') return { answer: 'conflict', attempts: unsure + 1, late: late() };
      if (round >= ATTEMPTS || reply.none === 'give-up') throw unavailable(fault ?? 'no answer');
      await process.clock.wait(BACKOFF_MS * 2 ** round);
    }
  }

  #gaveUp(): void {
    const { troubles, givenUp } = this.#process;
    this.#process.troubles = troubles + 1;
    for (const write of this.#request.writes) {
      const { id } = write.op === 'put' ? write.row : write.key;
      if (typeof id === 'string') givenUp.set(id, (givenUp.get(id) ?? 0) + 1);
    }
  }

  /** One attempt. What reaches the store does so whatever becomes of the process meanwhile. */
  #send<Answer>(fault: StoreFault | undefined, apply: () => Promise<Answer>, unfenced: boolean): Promise<Reply<Answer>> {
    const { chaos, time } = this.#world;
    const process = this.#process;
    const there = chaos.latency();
    const back = chaos.latency();
    return new Promise((resolve, reject) => {
      const nothing = (ms: number, none: NoAnswer): void => process.deliver(ms, () => resolve({ none }));
      const reach = (ms: number, then: (answer: Promise<Answer>) => void = (answer) => void answer.catch(() => {})): void =>
        time.after(ms, () => then(apply()));
      switch (fault) {
        case 'unavailable':
          return nothing(there + back, 'give-up');
        case 'throttled':
          return nothing(there + back, 'refused');
        case 'conflict':
          return nothing(there + back, 'conflict');
        case 'lost-reply':
        case 'lost-for-good':
          reach(there);
          return nothing(SOCKET_TIMEOUT_MS, fault === 'lost-reply' ? 'try-again' : 'give-up');
        case 'late-write':
          // What nothing fences is applied soon or never: docs/guarantees.md names that assumption.
          reach(unfenced ? there : chaos.lateMs());
          return nothing(SOCKET_TIMEOUT_MS, 'try-again');
        case 'zombie':
          // Sent with its last breath, and under way for minutes.
          process.kill();
          return reach(unfenced ? there : chaos.lateMs());
        case 'frozen-after':
          reach(there);
          process.freeze('pause');
          time.after(chaos.pauseMs(process), () => process.thaw('pause'));
          return nothing(SOCKET_TIMEOUT_MS, 'try-again');
        case 'crash-after':
          return reach(there, (answer) => {
            answer.catch(() => {});
            process.kill();
          });
        default:
          return reach(there, (answer) => {
            const late = fault === 'stale-read' ? STALE_MS : 0;
            answer.then(
              (value) => process.deliver(back + late, () => resolve({ answer: value })),
              (error: unknown) => process.deliver(back + late, () => reject(error instanceof Error ? error : new Error(String(error)))),
            );
          });
      }
    });
  }
}

const unavailable = (why: string): StoreUnavailableError => new StoreUnavailableError('simulated request', new Error(why));
