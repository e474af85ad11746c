import { type Counted, COUNTS, delayBucket, NAMED_COUNTS, NO_WORKER, type StatisticsKind } from '../model/statistics.ts';
import type { Journal, JournalEvent } from '../../../ports/journal.ts';

/** Numbers by what they count: `completed`, `d5` for a bucket of delays, `type#mail.send#completed` for those of one type or tenant. */
export type Sums = Record<string, number>;

/** The sums of one worker in the minute that begins at `at`. */
export interface SummedMinute {
  readonly worker: string;
  readonly at: number;
  readonly sums: Sums;
}

/** Writes are this far apart at least. */
export const STATISTICS_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
/** What the store refused is kept for as many minutes; beyond that the oldest is lost. */
const MAX_MINUTES = 60;

/** Events that are counted under another name. */
const COUNTED: Readonly<Partial<Record<JournalEvent, Counted>>> = {
  'dead-lettered': 'dead',
  quarantined: 'dead',
  'timers-fired': 'fired',
};

/** Sums up what a sandbox journals, minute by minute and worker by worker, as long as it lives. What it has not given out when its process dies is lost. */
export class StatisticsSums {
  readonly #minutes = new Map<string, SummedMinute>();
  #takenAt = -Infinity;

  /** A journal that passes everything on, and counts it. `worker`: for entries that name none; `kinds`: what else it is summed by. */
  over(journal: Journal, now: () => number, worker = NO_WORKER, kinds: readonly StatisticsKind[] = []): Journal {
    return {
      record: (entry) => {
        journal.record(entry);
        const { event, job, count = 1, queueDelayMs, runMs } = entry;
        const counted = COUNTED[event] ?? event;
        if (!has(COUNTS, counted)) return;
        const sums = this.#sums(entry.worker ?? job?.worker ?? worker, now());
        if (event === 'started' && queueDelayMs !== undefined) bump(sums, `d${delayBucket(queueDelayMs)}`, count);
        const named = has(NAMED_COUNTS, counted) ? kinds.flatMap((kind) => (job?.[kind] ? `${kind}#${job[kind]}#` : [])) : [];
        for (const name of ['', ...named]) {
          bump(sums, name + counted, count);
          if (runMs === undefined) continue;
          bump(sums, `${name}runs`, 1);
          bump(sums, `${name}runMs`, runMs);
        }
      },
      gauge: (gauge) => journal.gauge(gauge),
      flush: () => journal.flush(),
    };
  }

  /** Gives out what was summed up, if ten seconds have passed since the last time, or `all` is asked for. */
  take(now: number, all = false): readonly SummedMinute[] {
    const since = now - this.#takenAt;
    if (this.#minutes.size === 0 || (!all && since >= 0 && since < STATISTICS_EVERY_MS)) return [];
    this.#takenAt = now;
    const taken = [...this.#minutes.values()];
    this.#minutes.clear();
    return taken;
  }

  /** Takes back what the store refused. */
  giveBack({ worker, at, sums }: SummedMinute): void {
    if (this.#minutes.size >= MAX_MINUTES) return;
    const minute = this.#sums(worker, at);
    for (const [name, count] of Object.entries(sums)) bump(minute, name, count);
  }

  #sums(worker: string, now: number): Sums {
    const at = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const key = `${worker}/${at}`;
    const minute = this.#minutes.get(key) ?? { worker, at, sums: {} };
    this.#minutes.set(key, minute);
    return minute.sums;
  }
}

/** Adds to a number by its name. */
export function bump(sums: Sums, name: string, by: number): void {
  sums[name] = (sums[name] ?? 0) + by;
}

const has = (names: readonly string[], name: string): boolean => names.includes(name);
