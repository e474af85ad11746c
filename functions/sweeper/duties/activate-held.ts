import { defined } from '../../../shared/core/defined.ts';
import { errorText } from '../../../shared/core/error-text.ts';
import { iso, storedInstant } from '../../../shared/core/instant.ts';
import { leaves } from '../../../shared/core/job-id.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { heldCauseKey } from '../../../shared/store/control-rows.ts';
import { mapLimited } from '../../../shared/core/map-limited.ts';
import { isInForce, isScope } from '../../../shared/features/rules/model/rules.ts';
import { readRules } from '../../../shared/features/rules/store/rules.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import { knownSince, readWorkers, type ReportedWorker } from '../../../shared/features/workers/store/worker-rows.ts';
import { activateQuietly } from './activate-one.ts';
import type { SweeperDeps } from '../deps.ts';
import { type CauseReport, releaseCause } from './release-cause.ts';

/** A cause row is kept this long after it was last named, so that a job on its way into Suspended is never left without it. */
const CAUSE_IDLE_MS = 10 * 60_000;
const PARALLEL = 8;
const PAGE = 200;

/**
 * Lets jobs go whose suspension is over, and tries those again whose type no worker knew: with backoff, and at once when one that knows it
 * has reported since. Returns how many were let go.
 */
export async function activateHeld(deps: SweeperDeps, stopAt: number): Promise<number> {
  const rows = await heldCauses(deps);
  // From another cause each time and with a share for each, so that one with many jobs does not starve the others.
  const over = await withoutSuspended(deps, rows);
  const first = Math.floor(deps.entropy.random() * over.length);
  const causes = [...over.slice(first), ...over.slice(0, first)];
  const workers = await reportedWorkers(deps, causes);
  let [activated, left] = [0, deps.deployment.settings.activationsPerRun];
  for (const [index, row] of causes.entries()) {
    if (left <= 0 || deps.clock.now() >= stopAt) break;
    const share = Math.ceil(left / (causes.length - index));
    const cause = isScope(causeOf(row))
      ? await releaseCause(deps, row, share, stopAt)
      : await activateCause(deps, causeOf(row), { most: share, stopAt, workers });
    activated += cause.activated;
    left -= cause.activated;
    if (cause.found === 0) await forgetCause(deps, row);
  }
  return activated;
}

/** Every cause: one whose jobs are never looked at would hold them for ever. */
async function heldCauses({ tables }: SweeperDeps): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({
      table: 'control',
      partition: 'held-cause',
      limit: 1_000,
      ...defined({ after }),
    });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}

/** Leaves out what is still suspended. Whoever ended a suspension must not find it here again, so this is read consistently. */
async function withoutSuspended(deps: SweeperDeps, rows: readonly Row[]): Promise<readonly Row[]> {
  if (!rows.some((row) => isScope(causeOf(row)))) return rows;
  const { rules } = await readRules(deps.tables, true);
  const now = deps.clock.now();
  return rows.filter((row) => {
    const suspension = rules.suspensions.get(causeOf(row));
    return suspension === undefined || !isInForce(suspension, now);
  });
}

/** Half a read unit, and only while there are jobs without a handler. Without an answer their backoff goes on. */
async function reportedWorkers({ tables, clock, journal }: SweeperDeps, causes: readonly Row[]): Promise<readonly ReportedWorker[]> {
  if (causes.every((row) => isScope(causeOf(row)))) return [];
  return readWorkers(tables, clock.now()).catch((error: unknown) => {
    journal.record({ event: 'store-failed', reason: 'workers', error: errorText(error, clock.now()) });
    return [];
  });
}

/** How a cause is tried again that is no suspension. */
interface TryAgain {
  readonly most: number;
  readonly stopAt: number;
  readonly workers: readonly ReportedWorker[];
}

async function activateCause(deps: SweeperDeps, cause: string, { most, stopAt, workers }: TryAgain): Promise<CauseReport> {
  const report = { activated: 0, found: 0 };
  // Taken before the store is asked: the leaves run side by side and must not go beyond the share together.
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
        if (typeof row['tryAt'] === 'string' && row['tryAt'] > iso(deps.clock.now()) && !mayHaveHandler(row, workers)) continue;
        free--;
        const went = await activateQuietly(deps, String(row['id']), cause);
        if (went === undefined) {
          free++;
          continue;
        }
        report.activated++;
        if (went.result === 'ready') await sendHints(deps, [went.job], deps.clock.now());
      }
      after = page.cursor;
    } while (after !== undefined);
  });
  return report;
}

function mayHaveHandler(row: Row, workers: readonly ReportedWorker[]): boolean {
  const since = storedInstant(row['suspendedAt']);
  return since !== undefined && knownSince(workers, { type: String(row['type']), worker: String(row['worker']) }, since);
}

/** The row's key says the cause; what else it says may be wrong. */
function causeOf(row: Row): string {
  return String(row['sk']);
}

async function forgetCause(deps: SweeperDeps, row: Row): Promise<void> {
  const { seenAt } = row;
  if ((storedInstant(seenAt) ?? 0) > deps.clock.now() - CAUSE_IDLE_MS) return;
  const key = heldCauseKey(causeOf(row));
  await deps.tables.write({ op: 'delete', table: 'control', key, condition: unchanged('seenAt', seenAt) });
}
