import { defined } from '../../../job/defined.ts';
import { iso } from '../../../job/instant.ts';
import type { JobId } from '../../../job/job-id.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { auditPage } from '../store/audit.ts';
import { type AuditRecord, recordOf } from './audit-log.ts';

const DAY_MS = 86_400_000;
/** Days of the audit that are looked through for one job, the last ones. */
const MAX_DAYS = 31;
const MAX_PAGES = 5;
const PARALLEL = 8;

/** What operators did to one job by name, oldest first. */
export interface JobActs {
  readonly acts: readonly AuditRecord[];
  /** False: earlier days, or days with more than 5,000 entries, were not looked through to their end. */
  readonly complete: boolean;
}

/** Reads the entries of one job between two instants; the audit is kept by day, so each day costs a query. */
export async function readJobActs(
  tables: Tables,
  id: JobId,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<JobActs> {
  const first = Math.max(from, until - (MAX_DAYS - 1) * DAY_MS);
  const days: string[] = [];
  for (let at = Math.floor(first / DAY_MS) * DAY_MS; at <= until; at += DAY_MS) days.push(iso(at).slice(0, 10));
  const found = await mapLimited(days, PARALLEL, async (day) => actsOfDay(tables, id, day));
  return { acts: found.flatMap(({ acts }) => acts), complete: first === from && found.every(({ complete }) => complete) };
}

async function actsOfDay(tables: Tables, id: JobId, day: string): Promise<JobActs> {
  const acts: AuditRecord[] = [];
  let after: RowKey | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { rows, cursor } = await auditPage(tables, day, { limit: 1_000, ...defined({ after }) });
    acts.push(...rows.filter(({ jobId }) => jobId === id).map(recordOf));
    after = cursor;
    if (after === undefined) break;
  }
  // A day is read from its end.
  return { acts: acts.toReversed(), complete: after === undefined };
}
