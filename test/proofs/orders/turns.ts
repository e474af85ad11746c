import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables, Write } from '../../../shared/ports/tables.ts';
import type { StoreFault } from '../simulation/faults/fault-plan.ts';
import type { Change } from '../simulation/world/observed-store.ts';
import { SimProcess } from '../simulation/world/sim-process.ts';
import type { Step, StepFault, StoreChaos, StoreRequest } from '../simulation/world/sim-tables.ts';
import type { World } from '../simulation/world/world.ts';
import { wouldChange } from './arrival.ts';
import { nextInstant } from './instants.ts';
import { faultsOf, type OrderFault, STRIKES, type Struck } from './faults.ts';
import { arrivedBefore, deadly, type Move, moveOf, timeMove } from './requests.ts';

/** A request that waits for its turn. */
interface Parked {
  readonly move: Move;
  readonly process: SimProcess;
  readonly since: number;
  readonly go: () => void;
  readonly request?: StoreRequest | Step;
  /** What arrives late. */
  readonly late?: readonly Write[];
  /** At some moment it would have changed nothing. */
  idled?: boolean;
}

/** A fault that can strike a request of an actor. */
export type Possible = Struck & { readonly what: string };

/** A request is under way for no longer. */
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
  readonly #whole: boolean;
  readonly #actors = new Map<SimProcess, string>();
  readonly #counts = new Map<string, number>();
  readonly #parked: Parked[] = [];
  readonly #log: (readonly Change[])[] = [];
  /** How many events were scheduled before each move. */
  readonly #scheduled: number[] = [];
  /** Whose processes newly seen ones are: the actor that starts or goes on. Absent: nobody waits. */
  #acting: string | undefined;
  #making: Parked | undefined;
  /** The fault of the request whose turn it is. */
  #present: OrderFault | undefined;

  /** `whole`: also moves are offered that change nothing for anybody. */
  constructor(world: World, faults: readonly Struck[], whole = false) {
    this.#world = world;
    this.#faults = faults;
    this.#whole = whole;
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
    for (const fault of possible) this.possible.push({ actor, at, fault, kind: move.kind, what: move.what });
    // In another order than the one that it was chosen for, its place may be a request that it cannot strike.
    const chosen = this.#faults.find((one) => one.actor === actor && one.at === at && possible.includes(one.fault))?.fault;
    const since = this.#world.time.now;
    return new Promise((resolve) => {
      const go = (): void => {
        // Nobody's turn: the walk is over, and what is left of a process that ended must not strike those that come after it.
        if (this.#acting !== undefined) {
          this.#present = chosen;
          if (chosen !== undefined) this.struck++;
        }
        resolve();
      };
      const made = chosen === 'gone-before' ? deadly(move, 'before') : chosen === 'gone-after' ? deadly(move, 'after') : move;
      this.#parked.push({ move: made, process, since, go, request });
    });
  }

  /** What may happen next. */
  moves(): readonly Move[] {
    for (const parked of this.#parked) if (parked.late !== undefined && !this.#matters(parked.late)) parked.idled = true;
    const waiting = this.#parked.filter(({ process, late }) => (late === undefined ? process.alive : this.#matters(late)));
    const moves = waiting.map(({ move }) => move);
    for (const { move, idled } of waiting) if (idled === true && !this.#whole) moves.push(arrivedBefore(move));
    const time = this.#timeMove(waiting);
    return time === undefined ? moves : [...moves, time];
  }

  /** Time passes until something happens in a process, or until an instant that a row tells: then conditions hold that did not. */
  #timeMove(waiting: readonly Parked[]): Move | undefined {
    const { now } = this.#world.time;
    const coming = this.#world.time.coming(this.#whole);
    const until = Math.min(...waiting.map(({ since, late }) => (late === undefined ? since : now) + PATIENCE_MS));
    const soon = waiting.length === 0 ? coming.slice(0, 1) : coming.filter(({ at }) => at <= until);
    const [next] = soon;
    const instant =
      waiting.length === 0
        ? undefined
        : nextInstant(this.#world.store.tables, { after: now, until: Math.min(until, (next?.at ?? until) - 1) });
    if (instant !== undefined) return timeMove(`T${instant}`, instant - now, [undefined]);
    if (next === undefined) return undefined;
    const move = timeMove(
      `T${next.order}`,
      next.at - now,
      soon.map(({ wake }) => this.#woken(wake?.where)),
    );
    return { ...move, cause: this.#scheduled.findLastIndex((before) => before <= next.order) };
  }

  /** Whether a write that lingers would change anything; if not it may have arrived and nobody knows. */
  #matters(late: readonly Write[]): boolean {
    return this.#whole || wouldChange(late, (table) => this.#world.store.tables.rows(table));
  }

  /** To which actor something happens, or that it happens in the queues alone; undefined: it may be anywhere. */
  #woken(where: object | undefined): string | undefined {
    return where instanceof SimProcess ? this.#actors.get(where) : where === this.#world.queues ? 'queues' : undefined;
  }

  /** Makes a move, and everything that it brings about until somebody's turn comes again. */
  async make({ name, actor, ms }: Move, stepMs: number): Promise<void> {
    const { time } = this.#world;
    this.#scheduled.push(time.scheduled);
    if (ms !== undefined) return time.runUntil(time.now + ms);
    const at = this.#parked.findIndex(({ move }) => move.name === name || arrivedBefore(move).name === name);
    const [parked] = this.#parked.splice(at, 1) as [Parked];
    if (parked.move.name !== name) return;
    this.#acting = actor;
    this.#making = parked;
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
    if (this.#making === undefined) return;
    const { move, request } = this.#making;
    const late = typeof request === 'object' ? request.writes : [];
    this.#parked.push({
      move: { ...move, name: `${move.name}+`, actor: `${actor}+`, late: true },
      process,
      since: this.#world.time.now,
      go: arrive,
      late,
    });
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
