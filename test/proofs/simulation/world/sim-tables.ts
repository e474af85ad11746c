import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { outcomeUnknown } from '../../../../shared/job/store-failures.ts';
import { TOKEN_TRUSTED_MS } from '../../../../shared/job/lease.ts';
import { isSetBack } from '../../../../shared/adapters/aws/attempts.ts';
import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { CancelReason, Row, RowKey, TableName, Tables, Write, WriteWindow } from '../../../../shared/ports/tables.ts';
import type { StoreFault } from '../faults/fault-plan.ts';
import type { ObservedStore } from './observed-store.ts';
import { presentCall } from './named-calls.ts';
import { never, type SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A request on its way to the store. */
export interface StoreRequest {
  readonly op: 'get' | 'query' | 'scan' | 'write' | 'transact' | 'putAll';
  readonly writes: readonly Write[];
  /** What a read looks at: a row, a partition, or any of a table; a scan or an index has no partition of the table. */
  readonly reads?: { readonly table: TableName; readonly partition?: string | undefined; readonly key?: RowKey };
  /** An eventually consistent read: its answer may be old. */
  readonly stale: boolean;
}

/** What a process awaits besides its store: a request to a queue, or the passing of time. */
export type Step = 'send' | 'postpone' | 'discard' | 'reject' | 'visible' | 'receive' | 'acknowledge' | 'wait';

/** What may go wrong at such a step; time passes or it does not, so only requests have an afterwards and a reply. */
export type StepFault = Extract<StoreFault, 'crash-before' | 'crash-after' | 'lost-reply' | 'pause'>;

/** What decides which requests go wrong: the seed, or an explorer that tries them all. */
export interface StoreChaos {
  /** Awaited before each attempt of a request and before each request to a queue: whose turn it is. Default: everybody's. */
  gate?(process: SimProcess, request: StoreRequest | Step): Promise<void> | undefined;
  /** Lets a write that lingers arrive. Default: after `lateMs`. */
  linger?(process: SimProcess, arrive: () => void): void;
  /** The tables as this read sees them. Default: as they are. */
  view?(process: SimProcess): Pick<Tables, 'query' | 'scan'> | undefined;
  /** The fault of one attempt of a request. */
  faultOf(process: SimProcess, request: StoreRequest): StoreFault | undefined;
  /** The fault of any other step that a process awaits. */
  faultOfStep?(process: SimProcess, step: Step): StepFault | undefined;
  /** Whether one entry of a batch or transaction fares otherwise than the rest of it, where that happens at all. */
  partly?(chance: number): boolean;
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
const UNPROCESSED = 0.05;
const IN_CONFLICT = 0.1;

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
  const read = async <Answer>(request: Omit<StoreRequest, 'writes'>, apply: () => Promise<Answer>): Promise<Answer> =>
    (await ask({ ...request, writes: [] }, apply)).answer as Answer;
  const { store, chaos } = world;
  const partly = (chance: number): boolean => chaos.partly?.(chance) ?? false;
  return {
    get(table, key) {
      const reads = { table, partition: key[TABLE_SPECS[table].partition], key };
      return read({ op: 'get', reads, stale: false }, () => store.get(table, key));
    },
    query(query) {
      const { table, index, partition, consistent } = query;
      const reads = index === undefined ? { table, partition } : { table };
      return read({ op: 'query', reads, stale: consistent !== true }, () => (chaos.view?.(process) ?? store).query(query));
    },
    scan(scan) {
      const request = { op: 'scan', reads: { table: scan.table }, stale: scan.consistent !== true } as const;
      return read(request, () => (chaos.view?.(process) ?? store).scan(scan));
    },
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
      if (answer === 'conflict' && attempts > 1) throw new StoreUnavailableError('transact', new Error('TransactionConflict'));
      if (answer !== 'conflict' && answer.applied) return { ...answer, attempts };
      const busy = Math.max(
        0,
        writes.findIndex(() => partly(0.5)),
      );
      const conflicts = writes.map((_, index): CancelReason => ({ code: index === busy ? 'conflict' : 'none' }));
      const reasons = answer === 'conflict' ? conflicts : mixed(answer.reasons, partly);
      if (answer !== 'conflict' && reasons.some(({ code }) => code === 'conflict')) process.gaveUp(writes);
      return { applied: false, attempts, reasons };
    },
    async putAll(table, rows, window) {
      const call = presentCall();
      const writes = rows.map((row): Write => ({ op: 'put', table, row }));
      const unprocessed = new Set(rows.filter(() => partly(UNPROCESSED)));
      const put = (): Promise<readonly Row[]> =>
        store.putAll(
          process,
          table,
          rows.filter((row) => !unprocessed.has(row)),
          call,
        );
      const { answer } = await ask({ op: 'putAll', writes, stale: false }, put, window);
      return answer === 'conflict' ? rows : [...answer, ...unprocessed];
    },
  };
}

/** Beside a condition that failed other entries may be in conflict, and one whose condition would have failed says only that. */
function mixed(reasons: readonly CancelReason[], partly: (chance: number) => boolean): readonly CancelReason[] {
  const failed = reasons.findLastIndex(({ code }) => code === 'condition');
  return reasons.map((reason, index) => (index !== failed && partly(IN_CONFLICT) ? { code: 'conflict' } : reason));
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
    let lastAt: number | undefined;
    const late = (): boolean => firstAt !== undefined && process.clock.now() > firstAt + TOKEN_TRUSTED_MS;
    for (let round = 1; ; round++) {
      const turn = chaos.gate?.(process, this.#request);
      if (turn !== undefined) await turn;
      if (!process.alive) return never();
      const setBack = isSetBack(process.clock.now(), lastAt);
      const closed = notAfter !== undefined && (setBack || process.clock.now() > notAfter);
      if (closed || (this.#request.op === 'transact' && (setBack || late()))) {
        process.gaveUp(this.#request.writes);
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
      lastAt = Math.max(process.clock.now(), lastAt ?? Number.NEGATIVE_INFINITY);
      firstAt ??= process.clock.now();
      const reply = await this.#send(fault, apply, notAfter !== undefined);
      if ('answer' in reply) return { answer: reply.answer, attempts: unsure + 1, late: late() };
      if (reply.none === 'try-again') unsure++;
      if (fault === 'late-write') process.troubles++;
      if (round >= ATTEMPTS || reply.none === 'give-up') process.gaveUp(this.#request.writes);
      if (round >= ATTEMPTS && reply.none === 'conflict') return { answer: 'conflict', attempts: unsure + 1, late: late() };
      if (round >= ATTEMPTS || reply.none === 'give-up') throw unavailable(fault ?? 'no answer');
      await process.clock.wait(BACKOFF_MS * 2 ** round);
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
      const silence = (none: NoAnswer): void => process.timer(SOCKET_TIMEOUT_MS, () => resolve({ none }));
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
          return silence(fault === 'lost-reply' ? 'try-again' : 'give-up');
        case 'late-write':
          // What nothing fences is applied soon or never: docs/reference/guarantees.md names that assumption.
          if (unfenced || chaos.linger === undefined) reach(unfenced ? there : chaos.lateMs());
          else chaos.linger(process, () => void apply().catch(() => {}));
          return silence('try-again');
        case 'zombie':
          // Sent with its last breath, and under way for minutes.
          process.kill();
          return reach(unfenced ? there : chaos.lateMs());
        case 'frozen-after':
          reach(there);
          process.freeze('pause');
          time.after(chaos.pauseMs(process), () => process.thaw('pause'));
          return silence('try-again');
        case 'crash-after':
          return reach(there, (answer) => {
            answer.catch(() => {});
            process.kill();
          });
        default:
          // A reply that its process was too frozen to take comes after its timeout.
          if (process.timersFirst) silence('try-again');
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
