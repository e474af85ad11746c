import type { SimProcess } from '../world/sim-process.ts';
import type { VirtualTime } from '../world/virtual-time.ts';

/** A broken rule, and what broke it. */
export interface OutsideViolation {
  readonly rule: 'group-exclusive' | 'runs-once-at-a-time' | 'nothing-lost';
  readonly what: string;
}

/** One run of a handler, or of foreign code, from the inside of its process. */
interface Run {
  readonly id: string;
  readonly group: string | undefined;
  readonly by: SimProcess;
  /** In true time. */
  readonly since: number;
  /** Its process stood still when another run of its job or group began, or a moment before: it must end when the process goes on. */
  outdated: boolean;
}

/** Two runs that meet in one instant: one of them is being told that its lease is over. */
const TOLERANCE_MS = 50;
/** What a process that went on is given until the runs that it lost have ended: the moment of an aborted handler, and the process's own end. */
const AFTER_THAW_MS = 3_500;

/** What runs at once in a world of workers, whatever their kind. */
export class RunInvariants {
  readonly violations: OutsideViolation[] = [];
  starts = 0;
  /** Runs that began while an outdated one of their group stood still. */
  outdated = 0;
  readonly #time: VirtualTime;
  readonly #open = new Set<Run>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** A run begins; call what comes back when it ends. It also ends with its process. */
  start(by: SimProcess, id: string, group: string | undefined): () => void {
    const run: Run = { id, group, by, since: this.#time.now, outdated: false };
    this.starts += 1;
    for (const other of this.#open) if (other.id === id || (group !== undefined && other.group === group)) this.#meet(run, other);
    this.#open.add(run);
    const end = (): void => void this.#open.delete(run);
    by.onDeath(end);
    return end;
  }

  /** A process that stood still goes on. */
  thawed(process: SimProcess): void {
    this.#time.after(AFTER_THAW_MS, () => {
      for (const run of this.#open)
        if (run.by === process && run.outdated && !process.paused) this.#add(run, 'goes on after it was frozen');
    });
  }

  #meet(run: Run, other: Run): void {
    if (this.#stoodStill(other)) {
      this.outdated += 1;
      other.outdated = true;
      return;
    }
    this.#time.after(TOLERANCE_MS, () => {
      const both = this.#open.has(run) && this.#open.has(other);
      if (both && !run.by.paused && !other.by.paused && !other.outdated) this.#add(run, `runs beside ${other.id} in ${other.by.name}`);
    });
  }

  /** Whether a run's process stands still, or has not had the moment yet that it is given after it did. */
  #stoodStill({ by, since }: Run): boolean {
    return by.paused || (since < by.thawedAt && this.#time.now < by.thawedAt + AFTER_THAW_MS);
  }

  #add(run: Run, what: string): void {
    const rule = run.group === undefined ? 'runs-once-at-a-time' : 'group-exclusive';
    this.violations.push({ rule, what: `${run.id} of group ${run.group} in ${run.by.name} ${what}` });
    run.outdated = false;
  }
}
