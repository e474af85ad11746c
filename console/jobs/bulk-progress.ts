import type { BulkReport } from '../../operate/bulk/bulk-verbs.ts';
import { type BulkAction, verbNamed } from '../../operate/verbs.ts';
import type { BulkRun } from '../bulk-runs.ts';
import type { Html } from '../page.ts';
import { pill } from '../parts/pills.ts';
import { instantWords } from '../parts/times.ts';
import { bulkVerb } from './bulk-choices.ts';

/** A process that runs one renews its lease at least every 15 s, and loses it after 60 s of silence. */
const QUIET_MS = 60_000;

/** Whether some process runs it: this console, or another one that wrote its row a moment ago. */
export type Liveness = 'here' | 'elsewhere' | 'abandoned' | 'ended';

/** Derived from its row and this process's own state. */
export function livenessOf(
  { status, updatedAt }: Pick<BulkReport, 'status' | 'updatedAt'>,
  run: BulkRun | undefined,
  now: number,
): Liveness {
  if (run !== undefined && run.report === undefined && run.error === undefined) return 'here';
  if (status !== 'running') return 'ended';
  // An error here released it: only a newer row means that another process runs it.
  const since = run?.error === undefined ? 0 : (run.endedAt ?? 0);
  return now - updatedAt.getTime() < QUIET_MS && updatedAt.getTime() > since ? 'elsewhere' : 'abandoned';
}

/** The newest figures: this process's own while it runs; afterwards its row's, because another process may have resumed it. */
export function newestOf(bulk: BulkReport, run: BulkRun | undefined): BulkReport {
  if (run === undefined) return bulk;
  if (run.report === undefined && run.error === undefined) return { ...bulk, ...run.progress };
  return run.report !== undefined && run.report.updatedAt > bulk.updatedAt ? run.report : bulk;
}

/** Its state as people read it. */
export function bulkStatus(bulk: Pick<BulkReport, 'status' | 'updatedAt'>, run: BulkRun | undefined, now: number): Html {
  const live = livenessOf(bulk, run, now);
  if (live === 'here') return pill(run?.stopping === true ? 'stopping' : 'running', 'busy');
  if (live === 'elsewhere') return pill('running elsewhere', 'busy');
  if (live === 'abandoned') return pill('interrupted', 'warn');
  if (bulk.status === 'done') return pill('done', 'good');
  return bulk.status === 'canary-failed' ? pill('canary failed', 'bad') : pill(bulk.status, 'warn');
}

/** Its action on each job: `Set retries: 5`. */
export function bulkTitle(action: BulkAction, zone: string): string {
  const { label } = bulkVerb(action.verb);
  return `${label}${verbNamed(action.verb).title?.(action, instantWords(zone)) ?? ''}`;
}
