import { defined } from '../shared/job/defined.ts';
import { storedInstant } from '../shared/job/instant.ts';
import { checkJobId, type JobId } from '../shared/job/job-id.ts';
import type { AuditRecord } from '../shared/features/audit/admin/audit-log.ts';
import { readJobActs } from '../shared/features/audit/admin/job-acts.ts';
import { type AttemptEntry, attemptEntry } from '../shared/features/history/model/history-entry.ts';
import { readJobHistory } from '../shared/features/history/store/read-history.ts';
import type { Tables } from '../shared/ports/tables.ts';
import { resultKey } from '../shared/store/control-rows.ts';
import { findRow } from '../shared/store/find-row.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { JobView } from './jobs/job-view.ts';
import { viewOfRow } from './jobs/view-row.ts';

/** One entry of a job's timeline. */
export type TimelineEntry =
  | { readonly kind: 'created'; readonly at: Date }
  /** `at`: when it started. */
  | { readonly kind: 'attempt'; readonly at: Date; readonly attempt: AttemptEntry }
  | { readonly kind: 'act'; readonly at: Date; readonly act: AuditRecord }
  /** `as`: its outcome, or why it is a dead letter. */
  | { readonly kind: 'ended'; readonly at: Date; readonly as: string };

/** What is known of the course of one job. */
export interface JobTimeline {
  readonly id: string;
  /** By time. Clocks of executors and operators differ by up to two seconds, so close entries may be swapped. */
  readonly entries: readonly TimelineEntry[];
  /** What its handler gave back, JSON text, as long as it is kept. */
  readonly result?: { readonly json: string; readonly until: Date };
  /** Whether the audit was searched completely. False if only the last 31 days or part of a day were searched, or if the job is gone and its creation time is unknown. */
  readonly actsComplete: boolean;
}

/** What operators read of the course of a job. */
export interface TimelineVerb {
  /**
   * Creation, kept attempts, what operators did to the job by name, its end and its result. A bulk action leaves one entry for all its jobs, which
   * is not in here. Undefined if nothing is known. Costs `find`, `history` and a query for each day since the job was created, at most 31; for a job that is gone, 31.
   */
  timeline(id: string): Promise<JobTimeline | undefined>;
}

/** Creates the verb; with a `tenant` jobs of all others are nowhere. */
export function timelineVerb(deps: Pick<AdminDeps, 'tables' | 'clock'>, tenant?: string): TimelineVerb {
  return { timeline: async (id) => timelineOf(deps, checkJobId(id), tenant) };
}

async function timelineOf(
  { tables, clock }: Pick<AdminDeps, 'tables' | 'clock'>,
  id: JobId,
  tenant: string | undefined,
): Promise<JobTimeline | undefined> {
  const [found, kept] = await Promise.all([findRow(tables, id), readJobHistory(tables, id, tenant)]);
  const isForeign = found !== undefined && tenant !== undefined && found.row['tenant'] !== tenant;
  if (isForeign) return undefined;
  const job = found === undefined ? undefined : viewOfRow(found.table, found.row);
  const attempts = kept.attempts.map(attemptEntry);
  const now = clock.now();
  // A job that is gone may have been created, and buried, long before it was due.
  const from = job?.createdAt.getTime() ?? 0;
  const [{ acts, complete }, result] = await Promise.all([readJobActs(tables, id, { from, until: now }), resultOf(tables, id, now)]);
  const own = tenant === undefined ? acts : acts.filter((act) => act.tenant === tenant);
  // In one millisecond an act comes first: it may be what made the job run, or end.
  const entries = [...startOf(job), ...own.map(actAt), ...attempts.map(ranAt), ...endOf(job)];
  const shown = job === undefined && tenant !== undefined ? undefined : result;
  if (entries.length === 0 && shown === undefined) return undefined;
  return {
    id,
    entries: entries.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    ...defined({ result: shown }),
    actsComplete: complete,
  };
}

const ranAt = (attempt: AttemptEntry): TimelineEntry => ({ kind: 'attempt', at: attempt.startedAt, attempt });
const actAt = (act: AuditRecord): TimelineEntry => ({ kind: 'act', at: act.at, act });

function startOf(job: JobView | undefined): readonly TimelineEntry[] {
  return job === undefined ? [] : [{ kind: 'created', at: job.createdAt }];
}

function endOf(job: JobView | undefined): readonly TimelineEntry[] {
  const { finishedAt, failedAt, outcome = 'finished', reason = 'dead' } = job ?? {};
  if (finishedAt !== undefined) return [{ kind: 'ended', at: finishedAt, as: outcome }];
  return failedAt === undefined ? [] : [{ kind: 'ended', at: failedAt, as: reason }];
}

async function resultOf(tables: Tables, id: JobId, now: number): Promise<JobTimeline['result']> {
  const row = await tables.get('control', resultKey(id));
  const until = storedInstant(row?.['until']) ?? 0;
  return typeof row?.['json'] === 'string' && until > now ? { json: row['json'], until: new Date(until) } : undefined;
}
