import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { RowUnreadableError, StoreUnavailableError } from '../../shared/job/errors.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { RowKey, Tables } from '../../shared/ports/tables.ts';
import type { ReadyTerms } from '../../shared/store/ready-row.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import { type NamedWrites, tryTransact } from '../../shared/store/transact.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { actorOf, type AuditContext } from '../../shared/operator/act.ts';
import { recordWrites } from '../../shared/features/operator-records.ts';
import type { Finding, FindingOutcome, Findings } from './findings.ts';
import { isUnchanged, type JobTable, type Place, removePlace, unchangedPlace } from './rows-of-job.ts';

/** One table restored to an earlier instant, which is only read. */
export interface EarlierCopy {
  readonly table: JobTable;
  readonly name: string;
  readonly tables: Tables;
}

/** A run of `reconcile`: what its steps share. */
export interface ReconcileRun {
  readonly deps: AdminDeps;
  readonly apply: boolean;
  readonly context: AuditContext;
  readonly findings: Findings;
  readonly copies: readonly EarlierCopy[];
  /** Ids of timers and hashes of keys that an earlier step repairs: in a dry run they are still as they were. */
  readonly repairedBefore: Set<string>;
  /** Rows for which the store did not answer. */
  failed: number;
}

/** A step of a run. It goes through rows page by page. */
export interface ReconcileStep {
  readonly name: string;
  /** Looks at the page behind `after`. Without a `cursor` it was the last. */
  readonly page: (run: ReconcileRun, after: RowKey | undefined) => Promise<{ readonly rows: number; readonly cursor?: RowKey }>;
}

/** What a finding rests on, and what repairs it. */
export interface Repair {
  /** Rows that must be as they were seen. */
  readonly rests?: readonly Place[];
  /** Rows that are deleted if they are as they were seen. */
  readonly removes?: readonly Place[];
  /** The other writes, with their own conditions. */
  readonly writes?: NamedWrites;
  /** The job's type and tenant, for the audit. */
  readonly job?: Readonly<Record<string, unknown>>;
}

/** When a job is made ready by a repair. */
export function readyTerms({ deps }: ReconcileRun): ReadyTerms {
  return { token: deps.entropy.token(), now: deps.clock.now(), redispatchAfterMs: deps.deployment.settings.redispatchAfterMs };
}

/**
 * Counts a finding and repairs it: one transaction that demands every row it rests on as it was seen, with its entry in the audit. A dry
 * run reads the rows once more instead, because a job that moves may be met in two places. `ready` is the job that needs a hint then.
 */
export async function settle(run: ReconcileRun, finding: Finding, repair: Repair, ready?: LeasedJob): Promise<FindingOutcome> {
  const { deps, findings } = run;
  const { rests = [], removes = [], writes = {}, job } = repair;
  if (!run.apply) {
    const same = await Promise.all([...rests, ...removes].map(async (place) => isUnchanged(deps.tables, place)));
    if (!same.every(Boolean)) return 'changed';
    findings.add(finding, 'found');
    return 'found';
  }
  const token = deps.entropy.token();
  const outcome = await tryTransact(deps.tables, token, {
    ...writes,
    rests: rests.map(unchangedPlace),
    removes: removes.map(removePlace),
    records: recordWrites(entryOf(run, finding, job), token),
  });
  const result = outcome.applied ? 'repaired' : 'changed';
  findings.add(finding, result);
  if (outcome.applied && ready !== undefined) await sendHints(deps, [ready], deps.clock.now());
  return result;
}

/** The entry of a repair. */
export function entryOf({ deps, context }: ReconcileRun, { kind, subject, says }: Finding, job: Repair['job']) {
  const { type, tenant } = job ?? {};
  return {
    verb: 'reconcile',
    actor: actorOf(deps, context.actor),
    at: deps.clock.now(),
    detail: `${kind}: ${says}`,
    ...(job === undefined ? { scope: subject } : { jobId: subject }),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...defined({ reason: context.reason }),
  };
}

/** One row that cannot be read, or for which the store does not answer, does not keep the others from being looked at. */
export async function quietly(run: ReconcileRun, subject: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // Its own reader quarantines it: the acquirer, the sweeper or the executor.
    if (error instanceof RowUnreadableError) return;
    if (!(error instanceof StoreUnavailableError)) throw error;
    run.failed++;
    run.deps.journal.record({ event: 'store-failed', reason: `reconcile ${subject}`, error: errorText(error, run.deps.clock.now()) });
  }
}
