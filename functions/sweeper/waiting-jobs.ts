import { defined } from '../../shared/job/defined.ts';

/** Ready jobs of one queue by age: see `ageClass`. */
type Ages = readonly number[];

/** What a pass over one segment saw of the jobs that wait, so that the next one knows how long each queue makes jobs wait. */
export interface WaitingJobs {
  /** When the pass began. Ages are counted from here. */
  readonly from: number;
  /** Rows that the filter of the scan left out: jobs that became ready within a minute, and running ones. Of all queues. */
  readonly unseen: number;
  readonly queues: ReadonlyMap<string, Ages>;
  /** Ready jobs of each type that had a bound when the pass began. Absent if there was none. */
  readonly types?: ReadonlyMap<string, number>;
}

/** Twice this old is the limit of what a backlog explains; older jobs count as this old. */
const OLDEST_CLASS = 5;

/**
 * How long before `from` a lease ran out, in classes that double: 0 is at most the patience, 1 up to twice, 2 up to four times as long, and so
 * on.
 */
export function ageClass(ranOutAt: number, from: number, patienceMs: number): number {
  const age = from - ranOutAt;
  return age <= patienceMs ? 0 : Math.min(OLDEST_CLASS, 1 + Math.floor(Math.log2(age / patienceMs)));
}

/** Upper bound on the jobs, certainly or possibly in the queue, whose message is newer than `ranOutAt`. */
export function newerThan(passes: readonly WaitingJobs[], queue: string, ranOutAt: number, patienceMs: number): number {
  let newer = 0;
  for (const { from, unseen, queues } of passes) {
    const younger = (queues.get(queue) ?? []).slice(0, ageClass(ranOutAt, from, patienceMs));
    newer += unseen + younger.reduce((sum, count) => sum + count, 0);
  }
  return newer;
}

export const nothingSeen = (from: number, types: readonly string[] = []): WaitingJobs => ({
  from,
  unseen: 0,
  queues: new Map(),
  ...(types.length === 0 ? {} : { types: new Map(types.map((type) => [type, 0])) }),
});

/** A ready job: its queue, its type, and when its lease runs out or ran out. */
export interface InQueue {
  readonly queue: string;
  readonly type: string;
  readonly ranOutAt: number;
}

/** Counts the waiting jobs of a pass, run by run. */
export class WaitingCount {
  readonly #from: number;
  readonly #queues: Map<string, number[]>;
  readonly #types: Map<string, number> | undefined;
  readonly #patienceMs: number;
  #unseen: number;

  constructor({ from, unseen, queues, types }: WaitingJobs, patienceMs: number) {
    this.#from = from;
    this.#unseen = unseen;
    this.#queues = new Map([...queues].map(([queue, ages]) => [queue, [...ages]]));
    this.#types = types === undefined ? undefined : new Map(types);
    this.#patienceMs = patienceMs;
  }

  add({ queue, type, ranOutAt }: InQueue): void {
    const ofType = this.#types?.get(type);
    if (ofType !== undefined) this.#types?.set(type, ofType + 1);

    const ages = this.#queues.get(queue) ?? [];
    const age = ageClass(ranOutAt, this.#from, this.#patienceMs);
    while (ages.length <= age) ages.push(0);
    ages[age] = (ages[age] ?? 0) + 1;
    this.#queues.set(queue, ages);
  }

  leaveOut(rows: number): void {
    this.#unseen += rows;
  }

  /** The types whose ready jobs the pass counts. */
  get types(): readonly string[] {
    return [...(this.#types?.keys() ?? [])];
  }

  get total(): WaitingJobs {
    return { from: this.#from, unseen: this.#unseen, queues: this.#queues, ...defined({ types: this.#types }) };
  }
}
