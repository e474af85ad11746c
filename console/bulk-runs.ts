import type { Admin } from '../operate/admin.ts';
import type { Session } from './page.ts';
import type { BulkAction, BulkOptions, BulkProgress, BulkReport } from '../operate/bulk/bulk-verbs.ts';
import type { JobFilter } from '../operate/jobs/job-filter.ts';
import { defined } from '../shared/job/defined.ts';
import { InvalidInputError } from '../shared/job/errors.ts';

/** A bulk action that this process runs, or ran. */
export interface BulkRun {
  readonly progress?: BulkProgress;
  /** Set when it has ended. */
  readonly report?: BulkReport;
  /** It threw: its progress is kept, and it can be resumed. */
  readonly error?: unknown;
  /** When this process finished with it, in epoch milliseconds: a later row was written by another process. */
  readonly endedAt?: number;
  readonly stopping: boolean;
  /** The most jobs that it may act on: the number shown to the user who started it. */
  readonly total?: number;
}

/** Bulk actions in the background of the console's process. */
export interface BulkRuns {
  /** Resolves with its id as soon as that is written; rejects when it never began. */
  start(action: BulkAction, filter: JobFilter, options: BulkOptions): Promise<string | undefined>;
  /**
   * Resolves when it has resumed: `here`, also if this process runs it already. A report: it has ended, or another process is running it.
   * Undefined: there is no such bulk action. Rejects when it never began.
   */
  resume(id: string, options: Pick<BulkOptions, 'ratePerSecond' | 'actor'>): Promise<'here' | BulkReport | undefined>;
  /** False: this process does not run it. */
  stop(id: string): boolean;
  look(id: string): BulkRun | undefined;
  /** Stops all and waits for the pages that they are at. */
  close(): Promise<void>;
}

interface Entry {
  readonly stopper: AbortController;
  readonly total?: number;
  progress?: BulkProgress;
  report?: BulkReport;
  error?: unknown;
  endedAt?: number;
  ended?: Promise<void>;
}

const KEPT = 100;
const byAdmin = new WeakMap<Admin, BulkRuns>();

/** The runs of one console: all of its requests share their admin. */
export function bulkRunsOf(session: Pick<Session, 'admin'> & Partial<Pick<Session, 'now' | 'onProblem'>>): BulkRuns {
  const known = byAdmin.get(session.admin);
  if (known !== undefined) return known;
  const runs = createBulkRuns(session);
  byAdmin.set(session.admin, runs);
  return runs;
}

function createBulkRuns({ admin, now = () => 0, onProblem }: Parameters<typeof bulkRunsOf>[0]): BulkRuns {
  const entries = new Map<string, Entry>();
  const follow = async (entry: Entry, what: string, work: Work): Promise<BulkReport | undefined> =>
    followed(entry, { now, onProblem, what }, work);
  return {
    async start(action, filter, options) {
      const { limit } = options;
      const entry: Entry = { stopper: new AbortController(), ...defined({ total: limit }) };
      return new Promise<string | undefined>((resolve, reject) => {
        const begun = (id: string | undefined) => {
          if (id !== undefined) keep(entries, id, entry);
          resolve(id);
        };
        const work = async () => admin.bulk(action, filter, { ...options, ...heard(entry), onBegin: begun });
        follow(entry, `bulk ${action.verb}`, work).then((report) => begun(report?.id), reject);
      });
    },
    async resume(id, options) {
      if (isRunning(entries.get(id))) return 'here';
      const entry: Entry = { stopper: new AbortController() };
      return new Promise<'here' | BulkReport | undefined>((resolve, reject) => {
        const begun = () => {
          keep(entries, id, entry);
          resolve('here');
        };
        const work = async () => admin.resumeBulk(id, { ...options, ...heard(entry), onBegin: begun });
        follow(entry, `resume of bulk ${id}`, work).then(resolve, reject);
      });
    },
    stop(id) {
      const entry = entries.get(id);
      if (entry === undefined || !isRunning(entry)) return false;
      entry.stopper.abort();
      return true;
    },
    look(id) {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const { progress, report, error, endedAt, stopper, total } = entry;
      return {
        stopping: stopper.signal.aborted && isRunning(entry),
        ...defined({ total, progress, report, error, endedAt }),
      };
    },
    async close() {
      for (const { stopper } of entries.values()) stopper.abort();
      await Promise.all([...entries.values()].map(async ({ ended }) => ended));
    },
  };
}

function heard(entry: Entry): Pick<BulkOptions, 'onProgress' | 'signal'> {
  return {
    signal: entry.stopper.signal,
    onProgress: (progress) => {
      entry.progress = progress;
    },
  };
}

type Work = () => Promise<BulkReport | undefined>;

/** Stores in the entry how it ended; an unexpected error is printed at the terminal. */
async function followed(
  entry: Entry,
  {
    now,
    onProblem,
    what,
  }: { readonly now: () => number; readonly onProblem: Parameters<typeof bulkRunsOf>[0]['onProblem'] | undefined; readonly what: string },
  work: Work,
): Promise<BulkReport | undefined> {
  const run = async (): Promise<BulkReport | undefined> => {
    try {
      const report = await work();
      if (report !== undefined) entry.report = report;
      return report;
    } catch (error) {
      entry.error = error;
      if (!(error instanceof InvalidInputError)) onProblem?.(what, error);
      throw error;
    } finally {
      entry.endedAt = now();
    }
  };
  const running = run();
  const over = (): void => undefined;
  entry.ended = running.then(over, over);
  return running;
}

function isRunning(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.report === undefined && entry.error === undefined;
}

/** The oldest that have ended make room: their reports are in the store. */
function keep(entries: Map<string, Entry>, id: string, entry: Entry): void {
  entries.set(id, entry);
  for (const [old, { report, error }] of entries) {
    if (entries.size <= KEPT) break;
    if (report !== undefined || error !== undefined) entries.delete(old);
  }
}
