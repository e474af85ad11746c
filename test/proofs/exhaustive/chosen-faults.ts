import type { StoreFault } from '../simulation/faults/fault-plan.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import type { Step, StepFault, StoreChaos, StoreRequest } from '../simulation/world/sim-tables.ts';
import type { World } from '../simulation/world/world.ts';
import type { Actor } from '../../../shared/job/transitions.ts';

/**
 * The faults at an await point. `late-write` gets no answer, is repeated, and arrives once more when another process may hold the
 * lease. `pause` past the lease: a sandbox stands still until Lambda kills it at its deadline, anything else
 * for two hours. The other two break the assumption that Lambda kills: `overtaken` stands still until another process has written,
 * `outlived` until its lease ended and everything was repaired.
 */
export const POINT_FAULTS = ['crash-before', 'crash-after', 'lost-reply', 'late-write', 'pause', 'overtaken', 'outlived'] as const;
export type PointFault = (typeof POINT_FAULTS)[number];

/** An await point of an observed process, by number, with its possible faults. */
export interface Point {
  readonly number: number;
  readonly process: string;
  readonly role: Actor;
  readonly what: string;
  readonly faults: readonly PointFault[];
}

/** A fault at a point. */
export interface Chosen {
  readonly at: number;
  readonly fault: PointFault;
}

const LATENCY_MS = 2;
/** A second after the lease of an invocation that began just before, when the loser's message is visible again. */
const LATE_MS = 69_000;
/** In the middle of a handler that takes a tenth of a second. */
const THAW_MS = 20;
const HOUR = 3_600_000;
const OUTLIVED_MS = 15 * 60_000;

/** Impossible faults. A read or a wait applies nothing, so that a crash after it equals a crash before the next point. */
const CANNOT: Readonly<Record<'write' | 'message' | 'read' | 'wait', readonly PointFault[]>> = {
  write: [],
  message: ['late-write'],
  read: ['crash-after', 'late-write'],
  wait: ['crash-after', 'late-write', 'lost-reply'],
};

type Struck = Exclude<PointFault, 'overtaken' | 'outlived'>;

/** Numbers the await points of processes under observation, and lets chosen ones go wrong. */
export class ChosenFaults implements StoreChaos {
  readonly points: Point[] = [];
  /** Faults that struck. */
  struck = 0;
  /** Points are numbered from now on. */
  observing = false;
  readonly #chosen: ReadonlyMap<number, PointFault>;
  readonly #observed: readonly Actor[];
  readonly #world: World;
  readonly #overtaken = new Set<SimProcess>();
  #pauseMs = 0;

  constructor(world: World, observed: readonly Actor[], chosen: readonly Chosen[]) {
    this.#world = world;
    this.#observed = observed;
    this.#chosen = new Map(chosen.map(({ at, fault }) => [at, fault]));
    world.store.watch(({ by, changes }) => {
      if (changes.some(({ table }) => table !== 'control' && table !== 'history')) this.#thawOvertaken(by);
    });
  }

  faultOf(process: SimProcess, { op, writes }: StoreRequest): StoreFault | undefined {
    if (writes.length === 0) return this.#next(process, op, 'read');
    return this.#next(process, `${op} ${writes.map(({ op: kind, table }) => `${kind} ${table}`).join(', ')}`, 'write');
  }

  faultOfStep(process: SimProcess, step: Step): StepFault | undefined {
    const kind = step === 'wait' ? 'wait' : step === 'visible' ? 'read' : 'message';
    return this.#next(process, step, kind) as StepFault | undefined;
  }

  latency(): number {
    return LATENCY_MS;
  }

  pauseMs(): number {
    return this.#pauseMs;
  }

  lateMs(): number {
    return LATE_MS;
  }

  #next(process: SimProcess, what: string, kind: keyof typeof CANNOT): Struck | undefined {
    if (!this.observing || !this.#observed.includes(process.role)) return undefined;
    const number = this.points.length + 1;
    const sandbox = process.role !== 'client' && process.role !== 'admin';
    const faults = POINT_FAULTS.filter((fault) => !CANNOT[kind].includes(fault) && (fault !== 'outlived' || sandbox));
    const { name, role } = process;
    this.points.push({ number, process: name, role, what, faults });
    const fault = this.#chosen.get(number);
    this.#world.trace.note(this.#world.time.now, name, `point ${number} ${what}${fault === undefined ? '' : ` ${fault.toUpperCase()}`}`);
    if (fault === undefined || !faults.includes(fault)) return undefined;
    this.struck++;
    return this.#inflict(process, fault, sandbox);
  }

  #inflict(process: SimProcess, fault: PointFault, sandbox: boolean): Struck {
    if (fault !== 'pause' && fault !== 'overtaken' && fault !== 'outlived') return fault;
    this.#pauseMs = fault === 'outlived' ? OUTLIVED_MS : 2 * HOUR;
    if (fault !== 'pause' && sandbox) process.outlivesDeadline = true;
    if (fault === 'overtaken') this.#overtaken.add(process);
    return 'pause';
  }

  #thawOvertaken(by: SimProcess): void {
    for (const process of this.#overtaken) {
      // An executor is overtaken by the one that runs its job, not by the sweeper that gives it away.
      if (process === by || (process.role === 'executor' && by.role !== 'executor')) continue;
      this.#overtaken.delete(process);
      this.#world.time.after(THAW_MS, () => process.thaw('pause'));
    }
  }
}
