import { defined } from '../../shared/job/defined.ts';
import type { JobError } from '../../shared/job/job.ts';
import type { JobInfo } from '../../shared/job/job-info.ts';
import type { Journal, JournalEntry, JournalEvent } from '../../shared/ports/journal.ts';

/** What became of a job by one run of its handler, or of an attempt to start it. */
export type RunOutcome = keyof typeof NO_RUNS;

const NO_RUNS = {
  completed: 0,
  retried: 0,
  snoozed: 0,
  /** It ended with `continueWith`, and continues in a later run. */
  continued: 0,
  dead: 0,
  cancelled: 0,
  suspended: 0,
  /** A limit had no room for it. */
  parked: 0,
  /** An occurrence of a schedule that its policy kept from starting. */
  skipped: 0,
  expired: 0,
  /** It could not start, and went back as it was. */
  givenBack: 0,
  /** Its lease was another's when its outcome was recorded. Of `runJob` also: it did not start, for none of the reasons above. */
  lost: 0,
};

/** One run of a job in the kit. */
export interface JobRun {
  readonly id: string;
  readonly type: string;
  readonly outcome: RunOutcome;
  readonly attempt: number;
  /** The value that the handler threw; for `fail(...)` and time limits an Error with the recorded text. */
  readonly error?: unknown;
}

/** What ran: how often each outcome came up, and every run in order. */
export interface DrainSummary extends Readonly<Record<RunOutcome, number>> {
  readonly runs: readonly JobRun[];
}

const OUTCOMES: Readonly<Partial<Record<JournalEvent, RunOutcome>>> = {
  completed: 'completed',
  retried: 'retried',
  snoozed: 'snoozed',
  continued: 'continued',
  parked: 'parked',
  skipped: 'skipped',
  expired: 'expired',
  'given-back': 'givenBack',
  'dead-lettered': 'dead',
  cancelled: 'cancelled',
  suspended: 'suspended',
  'lost-lease': 'lost',
};

/** Sums up runs. */
export function summaryOf(runs: readonly JobRun[]): DrainSummary {
  const counts = { ...NO_RUNS };
  for (const { outcome } of runs) counts[outcome]++;
  return { ...counts, runs };
}

/** A journal that remembers how each run ended, with the values that handlers threw. */
export class KitRuns implements Journal {
  readonly runs: JobRun[] = [];
  /** What handlers threw since it was taken last, for `errors: 'throw'`; a verdict is no throw. */
  #surfaced: unknown[] = [];
  readonly #thrown = new Map<string, unknown>();

  record({ event, job, error }: JournalEntry): void {
    const outcome = OUTCOMES[event];
    if (outcome === undefined || job === undefined) return;
    const { id, type, attempt } = job;
    const told = error === undefined ? undefined : this.#errorOf(id, attempt, error);
    this.runs.push({ id, type, outcome, attempt, ...defined({ error: told }) });
    if (told !== undefined && error?.name !== 'JobFailed') this.#surfaced.push(told);
  }

  gauge(): void {}

  flush(): void {}

  /** Remembers what leaves the handler and its middleware. */
  readonly around = async (job: JobInfo, next: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await next();
    } catch (error) {
      this.#thrown.set(`${job.id}/${job.attempt}`, error);
      throw error;
    }
  };

  /** Returns the thrown errors, once. */
  takeThrown(): readonly unknown[] {
    const taken = this.#surfaced;
    this.#surfaced = [];
    return taken;
  }

  #errorOf(id: string, attempt: number, { name, message, stack }: JobError): unknown {
    const key = `${id}/${attempt}`;
    if (this.#thrown.has(key)) {
      const thrown = this.#thrown.get(key);
      this.#thrown.delete(key);
      return thrown;
    }
    return Object.assign(new Error(message), { name, ...defined({ stack }) });
  }
}
