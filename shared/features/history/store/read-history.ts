import type { AttemptRecord } from '../../../job/attempt.ts';
import { defined } from '../../../job/defined.ts';
import type { FinishedJob } from '../../../job/job.ts';
import type { JobId } from '../../../job/job-id.ts';
import type { Row, Tables } from '../../../ports/tables.ts';
import { decodeAttempt, isAttemptRow } from '../../../store/attempt-rows.ts';
import { decodeFinishedJob } from '../../../store/job-codec.ts';
import { mergePartitions } from '../../../store/merge-partitions.ts';
import { readable } from '../../../store/row-codec.ts';
import { historyKey, historyPartitions, idPrefix, isFinishedRow } from '../../../store/rows.ts';

/** What History holds of one job. */
export interface KeptJob {
  readonly finished?: FinishedJob;
  readonly attempts: readonly AttemptRecord[];
}

const PAGE = 200;
/** A job that runs forever must not make a read endless. */
const MAX_PAGES = 10;

/** Everything that History holds of a job, or nothing if it is not of `tenant`: one query by its id, strongly consistent, of its first 2,000 attempts. */
export async function readJobHistory(tables: Tables, id: JobId, tenant?: string): Promise<KeptJob> {
  const partition = String(historyKey(id)['day']);
  const rows: Row[] = [];
  let after: Readonly<Record<string, string>> | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { table: 'history', partition, from: id, through: `${id}#~`, limit: PAGE, consistent: true } as const;
    const found = await tables.query({ ...query, ...defined({ after }) });
    rows.push(...found.rows.filter((row) => tenant === undefined || row['tenant'] === tenant));
    after = found.cursor;
    if (after === undefined) break;
  }
  const finished = rows.filter(isFinishedRow).flatMap((row) => readable(() => decodeFinishedJob(row)))[0];
  const attempts = rows.filter(isAttemptRow).flatMap((row) => readable(() => decodeAttempt(row)));
  return { ...defined({ finished }), attempts };
}

/** Which finished jobs to list: those first due from `from` on and before `until`, newest first, behind `after`. */
export interface HistoryRange {
  readonly from: number;
  readonly until: number;
  readonly limit: number;
  readonly type?: string;
  readonly tenant?: string;
  /** Sort key after which to continue, from an earlier answer. */
  readonly after?: string;
}

/** A page of finished jobs. `after` is absent when the range was read to its end; a page may be empty and not the last. */
export interface HistoryPage {
  readonly jobs: readonly FinishedJob[];
  readonly after?: string;
}

/** Queries that one page may cost: 64 for each day and round. */
const MAX_ROUNDS = 8;

/** Lists finished jobs by the time at which they were first due, which is what History is keyed by. Filters after reading, bounded. */
export async function listHistory(tables: Tables, range: HistoryRange): Promise<HistoryPage> {
  const jobs: FinishedJob[] = [];
  const lowest = idPrefix(range.from);
  let highest = range.after ?? idPrefix(range.until);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const day = dayBelow(highest);
    if (highest <= lowest || day === undefined) return { jobs };
    const partitions = historyPartitions(day);
    const found = await mergePartitions(tables, {
      table: 'history',
      partitions,
      sort: 'id',
      from: lowest,
      through: highest,
      newestFirst: true,
      perPartition: Math.max(10, Math.ceil((2 * range.limit) / partitions.length)),
    });
    for (const row of found.rows) {
      const sort = String(row['id']);
      // The bound itself was in the page before.
      if (sort === highest || !matches(row, range)) continue;
      const [job] = readable(() => decodeFinishedJob(row));
      if (job === undefined) continue;
      jobs.push(job);
      if (jobs.length >= range.limit) return { jobs, after: sort };
    }
    highest = found.end ?? idPrefix(Date.parse(`${day}T00:00:00.000Z`));
  }
  return highest <= lowest ? { jobs } : { jobs, after: highest };
}

/** The day of the instant right before a bound. */
function dayBelow(bound: string): string | undefined {
  const ms = Number.parseInt(bound.slice(0, 8) + bound.slice(9, 13), 16);
  // A bound that is a whole id is within its instant.
  const instant = bound.length > 13 ? ms : ms - 1;
  return Number.isFinite(instant) && instant >= 0 ? new Date(instant).toISOString().slice(0, 10) : undefined;
}

function matches(row: Row, { type, tenant }: HistoryRange): boolean {
  if (!isFinishedRow(row)) return false;
  return (type === undefined || row['type'] === type) && (tenant === undefined || row['tenant'] === tenant);
}
