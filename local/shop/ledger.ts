import type { HandledJob } from '../../functions/index.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { defined } from '../../shared/job/defined.ts';
import type { JobContext, JobHandler } from '../../shared/job/job-type.ts';
import type { Gauge, Journal, JournalEntry, JournalEvent } from '../../shared/ports/journal.ts';

/** One run of a handler, as it was seen from around it. Instants are epoch milliseconds. */
export interface Run {
  readonly id: string;
  readonly type: string;
  readonly attempt: number;
  readonly group?: string;
  readonly dueAt: number;
  readonly startedAt: number;
  endedAt?: number;
}

/** How a job should end, according to the answer of the order service. `completed or cancelled` if a cancel met a running job. */
export type ExpectedEnding = 'completed' | 'dead' | 'cancelled' | 'completed or cancelled';

/** A job that the order service said it had enqueued. */
export interface ExpectedJob {
  readonly type: string;
  ending: ExpectedEnding;
}

/**
 * Promises and observations: filled by the traffic, by a wrapper around each handler, and by the functions'
 * journals. The audit compares it with the tables.
 */
export class Ledger {
  readonly expected = new Map<string, ExpectedJob>();
  readonly runs: Run[] = [];
  readonly counts = new Map<JournalEvent, number>();
  /** Completions and cancellations by job: more than one means that a job was finished twice. */
  readonly finished = new Map<string, JournalEvent[]>();
  /** Jobs whose cancellation was answered with `cancelled`. */
  readonly cancelled = new Set<string>();

  expect(id: string, type: string, ending: ExpectedEnding): void {
    this.expected.set(id, { type, ending });
  }

  /** Jobs that ended as cancelled: by the answer to the shop's cancel, or by a function's journal. */
  get cancellations(): number {
    const met = [...this.finished].filter(([, events]) => events.includes('cancelled')).map(([id]) => id);
    return new Set([...this.cancelled, ...met]).size;
  }

  /** Runs that have not ended. */
  get running(): readonly Run[] {
    return this.runs.filter((run) => run.endedAt === undefined);
  }

  /** The same jobs, with each run noted around the handler. */
  observed(jobs: readonly HandledJob[]): readonly HandledJob[] {
    return jobs.map(({ type, handler }) => ({
      type,
      handler: (async (context: JobContext) => {
        const run = this.#start(context);
        try {
          return await (handler as JobHandler)(context);
        } finally {
          run.endedAt = systemClock.now();
        }
      }) as JobHandler<never>,
    }));
  }

  /** A journal that records entries and passes them on. */
  journal(next: Journal | undefined): Journal {
    return {
      record: (entry: JournalEntry) => {
        this.#note(entry);
        next?.record(entry);
      },
      gauge: (gauge: Gauge) => next?.gauge(gauge),
      flush: () => next?.flush(),
    };
  }

  #start({ job }: JobContext): Run {
    const run: Run = {
      id: job.id,
      type: job.type,
      attempt: job.attempt,
      ...defined({ group: job.group }),
      dueAt: job.dueAt.getTime(),
      startedAt: systemClock.now(),
    };
    this.runs.push(run);
    return run;
  }

  #note({ event, job, count = 1 }: JournalEntry): void {
    this.counts.set(event, (this.counts.get(event) ?? 0) + count);
    if (job === undefined || (event !== 'completed' && event !== 'cancelled')) return;
    this.finished.set(job.id, [...(this.finished.get(job.id) ?? []), event]);
  }
}
