import type { SimProcess } from '../world/sim-process.ts';
import type { VirtualTime } from '../world/virtual-time.ts';

/** What two runs that meet break. */
export type MeetingRule = 'group-exclusive' | 'runs-once-at-a-time';

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

/** Whether a run's process stands still, or has not had the moment yet that it is given after it did. */
function stoodStill({ by, since }: Pick<Run, 'by' | 'since'>, now: number): boolean {
  return by.paused || (since < by.thawedAt && now < by.thawedAt + AFTER_THAW_MS);
}

/** Whether others may have taken what a run holds: its machine stood still, and no deadline ends it. It ends when that goes on. */
export function isOvertaken(run: Pick<Run, 'by' | 'since'>, now: number): boolean {
  return run.by.outside && stoodStill(run, now);
}

/** What is told of a rule that was broken. */
type Tell = (rule: MeetingRule, what: string) => void;

/**
 * What runs at once where nobody ends a process at a deadline: a run whose process stood still may be overtaken, and ends as soon as that
 * goes on.
 */
export class RunInvariants {
  starts = 0;
  /** Runs that began while an outdated one of their group stood still. */
  outdated = 0;
  readonly #time: VirtualTime;
  readonly #tell: Tell;
  readonly #judges: (process: SimProcess) => boolean;
  readonly #open = new Set<Run>();
  readonly #watched = new Set<SimProcess>();

  /** `judges`: whose runs are judged when another one meets them; default: everybody's. */
  constructor(time: VirtualTime, tell: Tell, judges: (process: SimProcess) => boolean = () => true) {
    this.#time = time;
    this.#tell = tell;
    this.#judges = judges;
  }

  /** A run begins; call what comes back when it ends. It also ends with its process. */
  start(by: SimProcess, id: string, group: string | undefined): () => void {
    const run: Run = { id, group, by, since: this.#time.now, outdated: false };
    this.starts += 1;
    for (const other of this.#open) {
      const meet = other.id === id || (group !== undefined && other.group === group);
      if (meet && this.#judges(other.by)) this.#meet(run, other);
    }
    this.#open.add(run);
    if (this.#judges(by)) this.#watch(by);
    const end = (): void => void this.#open.delete(run);
    by.onDeath(end);
    return end;
  }

  /** Judges what it lost whenever it goes on after it stood still. */
  #watch(process: SimProcess): void {
    if (this.#watched.has(process)) return;
    this.#watched.add(process);
    process.onThaw(() => {
      this.#time.after(AFTER_THAW_MS, () => {
        for (const run of this.#open)
          if (run.by === process && run.outdated && !stoodStill(run, this.#time.now)) this.#add(run, 'goes on after it was frozen');
      });
    });
  }

  #meet(run: Run, other: Run): void {
    if (stoodStill(other, this.#time.now)) {
      this.outdated += 1;
      other.outdated = true;
      return;
    }
    this.#time.after(TOLERANCE_MS, () => {
      const both = this.#open.has(run) && this.#open.has(other);
      if (both && !run.by.paused && !other.by.paused && !other.outdated) this.#add(run, `runs beside ${other.id} in ${other.by.name}`);
    });
  }

  #add(run: Run, what: string): void {
    const rule = run.group === undefined ? 'runs-once-at-a-time' : 'group-exclusive';
    this.#tell(rule, `${run.id} of group ${run.group} in ${run.by.name} ${what}`);
    run.outdated = false;
  }
}
