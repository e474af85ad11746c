import type { Admin } from '../shared/admin/admin.ts';
import type { BulkAction, BulkOptions, BulkProgress, BulkReport } from '../shared/admin/bulk/bulk-verbs.ts';
import type { JobFilter } from '../shared/admin/jobs/job-filter.ts';

/** A bulk action that this process runs, or ran. */
export interface BulkRun {
  readonly progress?: BulkProgress;
  /** Set when it has ended. */
  readonly report?: BulkReport;
  /** It threw: what was done is done, and it can be resumed. */
  readonly error?: unknown;
  readonly stopping: boolean;
  /** Jobs that it is to act on at most: the number that was shown to whoever began it. */
  readonly total?: number;
}

/** Bulk actions in the background of the console's process. */
export interface BulkRuns {
  /** Resolves with its id as soon as that is written; rejects when it never began. */
  start(action: BulkAction, filter: JobFilter, options: BulkOptions): Promise<string | undefined>;
  /** False: there is no such bulk action. One that this process runs already goes on as it is. */
  resume(id: string, options: Pick<BulkOptions, 'ratePerSecond' | 'actor'>): Promise<boolean>;
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
  ended?: Promise<void>;
}

const KEPT = 100;
const byAdmin = new WeakMap<Admin, BulkRuns>();

/** The runs of one console: all of its requests share their admin. */
export function bulkRunsOf(admin: Admin): BulkRuns {
  const known = byAdmin.get(admin);
  if (known !== undefined) return known;
  const runs = createBulkRuns(admin);
  byAdmin.set(admin, runs);
  return runs;
}

function createBulkRuns(admin: Admin): BulkRuns {
  const entries = new Map<string, Entry>();
  return {
    async start(action, filter, options) {
      const { limit } = options;
      const entry: Entry = { stopper: new AbortController(), ...(limit === undefined ? {} : { total: limit }) };
      return new Promise<string | undefined>((resolve, reject) => {
        const begun = (id: string | undefined) => {
          if (id !== undefined) keep(entries, id, entry);
          resolve(id);
        };
        follow(entry, async () => admin.bulk(action, filter, { ...options, ...heard(entry), onBegin: begun }), begun, reject);
      });
    },
    async resume(id, options) {
      if (isRunning(entries.get(id))) return true;
      const known = (await admin.bulks({ limit: KEPT })).some((bulk) => bulk.id === id);
      if (!known) return false;
      if (isRunning(entries.get(id))) return true;
      const entry: Entry = { stopper: new AbortController() };
      keep(entries, id, entry);
      const ignored = () => undefined;
      follow(entry, async () => admin.resumeBulk(id, { ...options, ...heard(entry) }), ignored, ignored);
      return true;
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
      const { progress, report, error, stopper, total } = entry;
      return {
        stopping: stopper.signal.aborted && isRunning(entry),
        ...(total === undefined ? {} : { total }),
        ...(progress === undefined ? {} : { progress }),
        ...(report === undefined ? {} : { report }),
        ...(error === undefined ? {} : { error }),
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

function follow(
  entry: Entry,
  work: () => Promise<BulkReport | undefined>,
  begun: (id: string | undefined) => void,
  refused: (error: unknown) => void,
): void {
  entry.ended = work().then(
    (report) => {
      if (report !== undefined) entry.report = report;
      begun(report?.id);
    },
    (error: unknown) => {
      entry.error = error;
      refused(error);
    },
  );
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
