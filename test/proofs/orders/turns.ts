import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import type { StoreFault } from '../simulation/faults/fault-plan.ts';
import type { Change } from '../simulation/world/observed-store.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import type { Step, StepFault, StoreChaos, StoreRequest } from '../simulation/world/sim-tables.ts';
import type { World } from '../simulation/world/world.ts';
import { faultsOf, type OrderFault, STRIKES, type Struck } from './faults.ts';
import { type Move, moveOf, timeMove } from './requests.ts';

/** A request that waits for its turn. */
interface Parked {
  readonly move: Move;
  readonly process: SimProcess;
  readonly go: () => void;
}

/** A fault that can strike a request of an actor. */
export type Possible = Struck & { readonly what: string };

/** Nothing that waits for longer goes on before somebody whose request is under way. */
const PATIENCE_MS = 3_500;
/** Requests to a queue take this long in the simulated world, each way. */
const QUEUE_MS = 20;

/** Lets the requests of actors wait until a walk says whose turn it is, and lets faults strike that were chosen. */
export class Turns implements StoreChaos {
  /** Every fault that could have struck in this order. */
  readonly possible: Possible[] = [];
  struck = 0;
  readonly #world: World;
  readonly #faults: readonly Struck[];
  readonly #actors = new Map<SimProcess, string>();
  readonly #counts = new Map<string, number>();
  readonly #parked: Parked[] = [];
  readonly #log: (readonly Change[])[] = [];
  /** Whose processes newly seen ones are: the actor that starts or goes on. Absent: nobody waits. */
  #acting: string | undefined;
  #making: Move | undefined;
  /** The fault of the request whose turn it is. */
  #present: OrderFault | undefined;

  constructor(world: World, faults: readonly Struck[]) {
    this.#world = world;
    this.#faults = faults;
    if (faults.some(({ fault }) => fault === 'old-read')) world.store.watch(({ changes }) => void this.#log.push(changes));
  }

  /** From now on newly seen processes are this actor's, until another one acts. */
  act(actor: string | undefined): void {
    this.#acting = actor;
  }

  /** Nobody waits any more. */
  open(): void {
    this.#acting = undefined;
    this.#present = undefined;
    this.#actors.clear();
    for (const { go } of this.#parked.splice(0)) go();
  }

  gate(process: SimProcess, request: StoreRequest | Step): Promise<void> | undefined {
    if (this.#acting === undefined) return undefined;
    const actor = this.#actors.get(process) ?? this.#acting;
    this.#actors.set(process, actor);
    const at = (this.#counts.get(actor) ?? 0) + 1;
    this.#counts.set(actor, at);
    const move = moveOf(`${actor}${at}`, actor, request);
    const stale = typeof request !== 'string' && request.stale;
    const possible = faultsOf(move, stale);
    for (const fault of possible) this.possible.push({ actor, at, fault, what: move.what });
    return new Promise((resolve) => {
      const go = (): void => {
        // In another order than the one that it was chosen for, its place may be a request that it cannot strike.
        this.#present = this.#faults.find((one) => one.actor === actor && one.at === at && possible.includes(one.fault))?.fault;
        if (this.#present !== undefined) this.struck++;
        resolve();
      };
      this.#parked.push({ move, process, go });
    });
  }

  /** What may happen next. */
  moves(): readonly Move[] {
    const waiting = this.#parked.filter(({ process, move }) => process.alive || move.actor.endsWith('+')).map(({ move }) => move);
    const { next, now } = this.#world.time;
    const soon = next !== undefined && (waiting.length === 0 || next.at - now <= PATIENCE_MS);
    return soon ? [...waiting, timeMove(next.order, next.at - now)] : waiting;
  }

  /** Makes a move, and everything that it brings about until somebody's turn comes again. */
  async make({ name, actor, time: passes }: Move, stepMs: number): Promise<void> {
    const { time } = this.#world;
    if (passes) return time.runUntil(time.next?.at ?? time.now);
    const at = this.#parked.findIndex(({ move }) => move.name === name);
    const [parked] = this.#parked.splice(at, 1) as [Parked];
    this.#acting = actor;
    this.#making = parked.move;
    time.after(0, parked.go);
    await time.runUntil(time.now + (parked.move.queue ? QUEUE_MS : stepMs));
  }

  faultOf(): StoreFault | undefined {
    const fault = this.#present;
    if (fault !== 'old-read') this.#present = undefined;
    return fault === undefined ? undefined : STRIKES[fault];
  }

  faultOfStep(_process: SimProcess, step: Step): StepFault | undefined {
    return step === 'wait' ? undefined : (this.faultOf() as StepFault | undefined);
  }

  /** The tables before the last change, where an old read asks for them. */
  view(): Pick<Tables, 'query' | 'scan'> | undefined {
    if (this.#present !== 'old-read') return undefined;
    this.#present = undefined;
    const old = createMemoryTables();
    for (const changes of this.#log.slice(0, -1)) {
      for (const { table, key, after } of changes) {
        // In memory a call acts at once, so nobody has to wait for it.
        if (after === undefined) void old.write({ op: 'delete', table, key });
        else void old.write({ op: 'put', table, row: after });
      }
    }
    return old;
  }

  /** A write that lingers has a turn of its own. */
  linger(process: SimProcess, arrive: () => void): void {
    const actor = this.#actors.get(process) ?? '?';
    const made = this.#making;
    if (made !== undefined) this.#parked.push({ move: { ...made, name: `${made.name}+`, actor: `${actor}+` }, process, go: arrive });
  }

  latency(): number {
    return 0;
  }

  pauseMs(): number {
    return 0;
  }

  lateMs(): number {
    return 0;
  }
}
