import { type Counted, delayBucket, type MinuteSums } from '../../features/statistics/model/statistics.ts';
import type { Journal, JournalEntry, JournalEvent } from '../../ports/journal.ts';
import { ALL_WORKERS } from './names.ts';

/** A minute of one worker that was summed up; `at` lies in it. */
export interface SummedMinute {
  readonly worker: string;
  readonly at: number;
  readonly sums: MinuteSums;
}

/** Writes are this far apart at least. */
export const STATISTICS_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
/** What the store refused is kept for as many minutes; beyond that the oldest is lost. */
const MOST_MINUTES = 60;

const COUNTED: Readonly<Partial<Record<JournalEvent, Counted>>> = {
  started: 'started',
  completed: 'completed',
  retried: 'retried',
  'dead-lettered': 'dead',
  quarantined: 'dead',
  cancelled: 'cancelled',
  snoozed: 'snoozed',
  crashed: 'crashed',
  'timers-fired': 'fired',
};

interface Summing {
  readonly worker: string;
  readonly at: number;
  readonly counts: Partial<Record<Counted, number>>;
  readonly delays: Map<number, number>;
  runMs: number;
  runs: number;
}

/** Sums up what a sandbox journals, minute by minute and worker by worker, as long as it lives. What it has not given out when its process dies is lost. */
export class StatisticsSums {
  readonly #minutes = new Map<string, Summing>();
  #takenAt: number | undefined;

  /** A journal that passes everything on, and counts it. `worker`: for entries that name none. */
  over(journal: Journal, now: () => number, worker: string = ALL_WORKERS): Journal {
    return {
      record: (entry) => {
        journal.record(entry);
        const counted = COUNTED[entry.event];
        if (counted !== undefined) this.#add(counted, entry, { worker: entry.worker ?? entry.job?.worker ?? worker, now: now() });
      },
      gauge: (gauge) => journal.gauge(gauge),
      flush: () => journal.flush(),
    };
  }

  /** Gives out what was summed up, if ten seconds have passed since the last time, or `all` is asked for. */
  take(now: number, all = false): readonly SummedMinute[] {
    if (this.#minutes.size === 0) return [];
    const since = this.#takenAt === undefined ? Number.POSITIVE_INFINITY : now - this.#takenAt;
    if (!all && since >= 0 && since < STATISTICS_EVERY_MS) return [];
    this.#takenAt = now;
    const taken = [...this.#minutes.values()];
    this.#minutes.clear();
    return taken.map(({ worker, at, ...sums }) => ({ worker, at, sums }));
  }

  /** Takes back what the store refused. */
  giveBack({ worker, at, sums }: SummedMinute): void {
    if (this.#minutes.size >= MOST_MINUTES) return;
    const minute = this.#minute(worker, at);
    for (const [name, count] of Object.entries(sums.counts)) bump(minute.counts, name as Counted, count);
    for (const [bucket, count] of sums.delays) minute.delays.set(bucket, (minute.delays.get(bucket) ?? 0) + count);
    minute.runMs += sums.runMs;
    minute.runs += sums.runs;
  }

  #add(
    counted: Counted,
    { count = 1, queueDelayMs, runMs }: JournalEntry,
    { worker, now }: { readonly worker: string; readonly now: number },
  ): void {
    const minute = this.#minute(worker, now);
    bump(minute.counts, counted, count);
    if (counted === 'started' && queueDelayMs !== undefined) {
      const bucket = delayBucket(queueDelayMs);
      minute.delays.set(bucket, (minute.delays.get(bucket) ?? 0) + count);
    }
    if (runMs !== undefined) {
      minute.runMs += runMs;
      minute.runs += 1;
    }
  }

  #minute(worker: string, at: number): Summing {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    const key = `${worker}/${minute}`;
    const known = this.#minutes.get(key);
    if (known !== undefined) return known;
    const fresh: Summing = { worker, at: minute, counts: {}, delays: new Map(), runMs: 0, runs: 0 };
    this.#minutes.set(key, fresh);
    return fresh;
  }
}

function bump(counts: Partial<Record<Counted, number>>, name: Counted, by: number): void {
  counts[name] = (counts[name] ?? 0) + by;
}
