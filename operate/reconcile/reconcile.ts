import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { type Instant, instantMs } from '../../shared/job/instant.ts';
import { checkFlag, checkOptions, checkText } from '../../shared/job/names.ts';
import type { RowKey } from '../../shared/ports/tables.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { batchesStep } from './batches.ts';
import { callbacksStep } from './callbacks.ts';
import { copyStep } from './copies.ts';
import { type FindingCounts, Findings } from './findings.ts';
import { jobRowsStep } from './job-rows.ts';
import { keysStep } from './keys.ts';
import { JOB_TABLES, type JobTable } from './rows-of-job.ts';
import type { EarlierCopy, ReconcileRun, ReconcileStep } from './run.ts';
import { schedulesStep } from './schedules.ts';

/** Options of a run. */
export interface ReconcileOptions {
  /** Repairs what it finds. Default: a dry run, which writes nothing. */
  readonly apply?: boolean;
  /**
   * Names of tables that were restored to an earlier instant than those of the deployment. Jobs that are in one of them, in no table of the
   * deployment and not finished are put back.
   */
  readonly copies?: Readonly<Partial<Record<JobTable, string | readonly string[]>>>;
  /**
   * The instant to which the tables were restored. Callbacks that batches enqueued in the minute before it are enqueued again if their jobs
   * are nowhere and not finished. Without it they are left out: long ago, a job that is nowhere has ended.
   */
  readonly restoredTo?: Instant;
  /** Rows a second that are looked at. Default: as many as the store answers for. */
  readonly ratePerSecond?: number;
  /** Rows after which the call stops at the end of a page, and its report has `next`. Default: it goes through all tables. */
  readonly maxRows?: number;
  /** The `next` of an earlier report, to continue where that call stopped. */
  readonly after?: string;
  /** Stops at the end of a page. */
  readonly signal?: AbortSignal;
  readonly actor?: string;
  readonly reason?: string;
}

/** What a run found and did. */
export interface ReconcileReport {
  /** Whether it repaired. */
  readonly applied: boolean;
  readonly findings: readonly FindingCounts[];
  /** Rows that were looked at. */
  readonly rows: number;
  /** Rows for which the store did not answer; journalled. Run it again. */
  readonly failed: number;
  /** Where to go on, when a limit or the signal ended the call. */
  readonly next?: string;
}

/** The verb that repairs what a restore left half done. */
export interface ReconcileVerb {
  /**
   * Finds rows that do not fit together, and repairs them with `apply`: each repair is one transaction on the rows as they were seen, with an
   * entry in the audit; that of a schedule follows its repair. Repeat it until it finds nothing. Reads every row of every table but History, and
   * about six more for each job and for each unique key.
   */
  reconcile(options?: ReconcileOptions): Promise<ReconcileReport>;
}

const OPTIONS = ['apply', 'copies', 'restoredTo', 'ratePerSecond', 'maxRows', 'after', 'signal', 'actor', 'reason'];

/** Goes through all tables, in an order in which each step finds what the one before it repaired. */
export async function reconcile(deps: AdminDeps, options: ReconcileOptions = {}): Promise<ReconcileReport> {
  checkOptions(options, OPTIONS, 'options');
  const { signal } = options;
  const isStopped = (): boolean => signal?.aborted === true;
  const [actor, reason] = [checkText(options.actor, 'actor'), checkText(options.reason, 'reason')];
  const run: ReconcileRun = {
    deps,
    apply: checkFlag(options.apply, 'apply') ?? false,
    context: defined({ actor, reason }),
    findings: new Findings(),
    copies: copiesOf(deps, options.copies),
    repairedBefore: new Set(),
    failed: 0,
  };
  const ratePerSecond = checkCount(options.ratePerSecond, 'ratePerSecond');
  const maxRows = checkCount(options.maxRows, 'maxRows') ?? Number.POSITIVE_INFINITY;
  const restoredTo = options.restoredTo === undefined ? undefined : instantMs(options.restoredTo, 'restoredTo');
  const steps = stepsOf(run, restoredTo);
  let [at, rows]: [Place | undefined, number] = [startOf(steps, options.after), 0];
  while (at !== undefined && rows < maxRows && !isStopped()) {
    const began = deps.clock.now();
    const page = await (steps[at.step] as ReconcileStep).page(run, at.cursor);
    rows += page.rows;
    at = page.cursor === undefined ? placeAt(steps, at.step + 1) : { step: at.step, cursor: page.cursor };
    if (ratePerSecond === undefined || at === undefined) continue;
    const ms = began + (page.rows * 1_000) / ratePerSecond - deps.clock.now();
    if (ms > 0) await deps.clock.wait(ms, signal);
  }
  const next = at && encodePlace(steps, at);
  return { applied: run.apply, findings: run.findings.counts(), rows, failed: run.failed, ...defined({ next }) };
}

/** Schedules before timers, which drop an occurrence that has run; timers before what looks for jobs by their id; batches at the end. */
function stepsOf({ copies }: ReconcileRun, restoredTo: number | undefined): readonly ReconcileStep[] {
  const tables = (['timers', 'suspended', 'deadLetters', 'jobs'] as const).map(jobRowsStep);
  const callbacks = restoredTo === undefined ? [] : [callbacksStep(restoredTo)];
  return [schedulesStep, ...tables, ...copies.map(copyStep), keysStep, ...callbacks, batchesStep];
}

function copiesOf({ tablesNamed }: AdminDeps, copies: ReconcileOptions['copies'] = {}): readonly EarlierCopy[] {
  checkOptions(copies, [...JOB_TABLES], 'copies');
  return JOB_TABLES.flatMap((table) => {
    const given = copies[table] ?? [];
    return (typeof given === 'string' ? [given] : given).map((name): EarlierCopy => {
      if (typeof name !== 'string' || name === '') throw new InvalidInputError(`copies.${table}`, name, 'Give the name or ARN of a table.');
      if (tablesNamed === undefined) throw new InvalidInputError(`copies.${table}`, name, 'This session reaches no other tables.');
      return { table, name, tables: tablesNamed({ [table]: name }) };
    });
  });
}

function checkCount(count: number | undefined, field: string): number | undefined {
  if (count === undefined || (Number.isFinite(count) && count > 0)) return count;
  throw new InvalidInputError(field, count, 'Use a number above 0.');
}

interface Place {
  readonly step: number;
  readonly cursor?: RowKey;
}

const placeAt = (steps: readonly ReconcileStep[], step: number): Place | undefined => (step < steps.length ? { step } : undefined);

function encodePlace(steps: readonly ReconcileStep[], { step, cursor }: Place): string {
  return Buffer.from(JSON.stringify({ step: steps[step]?.name, ...defined({ cursor }) })).toString('base64url');
}

/** Refuses a place of a run with other copies, or of something else. */
function startOf(steps: readonly ReconcileStep[], after: string | undefined): Place | undefined {
  if (after === undefined) return placeAt(steps, 0);
  const { step, cursor } = readPlace(after);
  const index = steps.findIndex(({ name }) => name === step);
  const isKey =
    cursor === undefined ||
    (typeof cursor === 'object' && cursor !== null && Object.values(cursor).every((value) => typeof value === 'string'));
  if (index < 0 || !isKey)
    throw new InvalidInputError('after', after, 'Give `next` of an earlier report, with the same copies and `restoredTo`.');
  return { step: index, ...(cursor === undefined ? {} : { cursor: cursor as RowKey }) };
}

function readPlace(text: unknown): { readonly step?: unknown; readonly cursor?: unknown } {
  try {
    const place: unknown = JSON.parse(Buffer.from(String(text), 'base64url').toString());
    return typeof place === 'object' && place !== null ? place : {};
  } catch {
    return {};
  }
}
