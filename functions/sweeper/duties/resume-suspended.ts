import { defined } from '../../../shared/job/defined.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import { iso, storedInstant } from '../../../shared/job/instant.ts';
import { leaves } from '../../../shared/job/job-id.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { presentName } from '../../../shared/job/worker-names.ts';
import { HELD_CAUSES, heldCauseKey } from '../../../shared/store/control-rows.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { isInForce, isScope, suspensionsOf } from '../../../shared/features/rules/model/rules.ts';
import { readRules } from '../../../shared/features/rules/store/rules.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import { codecOfCause, versionOfCause, waitsForWorker } from '../../../shared/store/suspend.ts';
import { knownSince, readWorkers, type ReportedWorker } from '../../../shared/features/workers/store/worker-rows.ts';
import { tryResume } from './resume-one.ts';
import type { SweeperDeps } from '../deps.ts';
import { type CauseReport, resumeScope } from './resume-scope.ts';

/** A cause row is kept this long after its last use, so that a job that is being suspended never misses it. */
const CAUSE_IDLE_MS = 10 * 60_000;
const PARALLEL = 8;
const PAGE = 200;

/**
 * Resumes jobs whose suspension has ended, and retries those whose type, or version or codec of the payload, no worker knew: with backoff, and at once
 * if a worker that knows it has reported since. Returns how many were resumed.
 */
export async function resumeSuspended(deps: SweeperDeps, stopAt: number): Promise<number> {
  const rows = await heldCauses(deps);
  // Starts at a different cause each time, with a share for each, so that one with many jobs does not starve the others.
  const over = await withoutSuspended(deps, rows);
  const first = Math.floor(deps.entropy.random() * over.length);
  const causes = [...over.slice(first), ...over.slice(0, first)];
  const workers = await reportedWorkers(deps, causes);
  let [resumed, left] = [0, deps.deployment.settings.resumesPerRun];
  for (const [index, row] of causes.entries()) {
    if (left <= 0 || deps.clock.now() >= stopAt) break;
    const share = Math.ceil(left / (causes.length - index));
    const cause = isScope(causeOf(row))
      ? await resumeScope(deps, row, share, stopAt)
      : await resumeCause(deps, causeOf(row), { most: share, stopAt, workers });
    resumed += cause.resumed;
    left -= cause.resumed;
    if (cause.found === 0) await forgetCause(deps, row);
  }
  return resumed;
}

/** Every cause, because jobs of an omitted one would stay suspended forever. */
async function heldCauses({ tables }: SweeperDeps): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({
      table: 'control',
      partition: HELD_CAUSES,
      limit: 1_000,
      ...defined({ after }),
    });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}

/**
 * Drops the causes that are still suspended, also by a scope that only a later version knows. Read consistently, so that a suspension that has just ended does not
 * count.
 */
async function withoutSuspended(deps: SweeperDeps, rows: readonly Row[]): Promise<readonly Row[]> {
  if (rows.every((row) => waitsForWorker(causeOf(row)))) return rows;
  const { rules } = await readRules(deps.tables, true);
  const now = deps.clock.now();
  return rows.filter((row) => {
    const suspensions = suspensionsOf(causeOf(row), rules, deps.deployment.workers);
    return !suspensions.some((one) => isInForce(one, now));
  });
}

/** Half a read unit, and only while there are jobs without a handler. If the read fails, their backoff continues. */
async function reportedWorkers({ tables, clock, journal }: SweeperDeps, causes: readonly Row[]): Promise<readonly ReportedWorker[]> {
  if (causes.every((row) => isScope(causeOf(row)))) return [];
  return readWorkers(tables, clock.now()).catch((error: unknown) => {
    journal.record({ event: 'store-failed', reason: 'workers', error: errorText(error, clock.now()) });
    return [];
  });
}

/** Options for retrying a cause that is not a suspension. */
interface TryAgain {
  readonly most: number;
  readonly stopAt: number;
  readonly workers: readonly ReportedWorker[];
}

async function resumeCause(deps: SweeperDeps, cause: string, { most, stopAt, workers }: TryAgain): Promise<CauseReport> {
  const report = { resumed: 0, found: 0 };
  // Reserved before the store request: the leaves run concurrently and must not exceed the share together.
  let free = most;
  await mapLimited(leaves(), PARALLEL, async (leaf) => {
    let after: RowKey | undefined;
    do {
      const page = await deps.tables.query({
        table: 'suspended',
        index: 'byCause',
        partition: `${cause}#${leaf}`,
        limit: PAGE,
        ...defined({ after }),
      });
      report.found += page.rows.length;
      for (const row of page.rows) {
        if (free === 0 || deps.clock.now() >= stopAt) return;
        if (
          typeof row['tryAt'] === 'string' &&
          row['tryAt'] > iso(deps.clock.now()) &&
          !mayHaveHandler(row, { workers, cause, of: deps.deployment.workers })
        )
          continue;
        free--;
        const went = await tryResume(deps, String(row['id']), cause);
        if (went === undefined) {
          free++;
          continue;
        }
        report.resumed++;
        if (went.result === 'ready') await sendHints(deps, [went.job], deps.clock.now());
      }
      after = page.cursor;
    } while (after !== undefined);
  });
  return report;
}

function mayHaveHandler(
  row: Row,
  {
    workers,
    cause,
    of,
  }: { readonly workers: readonly ReportedWorker[]; readonly cause: string; readonly of: SweeperDeps['deployment']['workers'] },
): boolean {
  const since = storedInstant(row['suspendedAt']);
  const job = {
    type: String(row['type']),
    worker: presentName(of, String(row['worker'])),
    schemaVersion: versionOfCause(cause),
    ...defined({ codec: codecOfCause(cause) }),
  };
  return since !== undefined && knownSince(workers, job, since);
}

/** The cause is in the row's key; other attributes may be wrong. */
function causeOf(row: Row): string {
  return String(row['sk']);
}

async function forgetCause(deps: SweeperDeps, row: Row): Promise<void> {
  const { seenAt } = row;
  if ((storedInstant(seenAt) ?? 0) > deps.clock.now() - CAUSE_IDLE_MS) return;
  const key = heldCauseKey(causeOf(row));
  await deps.tables.write({ op: 'delete', table: 'control', key, condition: unchanged('seenAt', seenAt) });
}
