import { isOccurrence } from '../../shared/job/job.ts';
import { defined } from '../../shared/job/defined.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, RowKey } from '../../shared/ports/tables.ts';
import { acquireLockKey } from '../../shared/store/control-rows.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { fire, type Firing, firing, packFirings } from '../../shared/store/fire.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import type { ReadyTerms } from '../../shared/store/ready-row.ts';
import { releaseLock, takeLock } from '../../shared/store/take-lock.ts';
import { writeUnits } from '../../shared/store/row-bytes.ts';
import { timerDueThrough } from '../../shared/store/rows.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import { repairSchedule } from '../../shared/features/schedules/store/repair-schedule.ts';
import { quarantineInGroup } from '../../shared/store/burials.ts';
import { fireChain, scheduleTerms, type Waiting } from './fire-occurrences.ts';
import type { AcquirerDeps } from './deps.ts';
import { type WritePace, writePace } from './write-pace.ts';

/** When to stop, and how far ahead to fire. */
export interface ShardRun {
  readonly stopAt: number;
  readonly lockUntil: number;
}

/** The result of one shard. `complete` is false if time ran out while timers were still due. */
export interface ShardResult {
  readonly fired: number;
  readonly complete: boolean;
  /** How late the latest of them was fired; 0 when all were fired ahead of time. */
  readonly lagMs: number;
}

const NOTHING = { fired: 0, lagMs: 0 } as const;
/** A transactional write costs twice the units of a plain one. */
const IN_TRANSACTION = 2;

/** A timer, and the write units that moving it takes from its shard. Those of Jobs are not included. */
interface DueTimer extends Waiting {
  readonly units: number;
}

/**
 * Fires the timers of one shard that are due within the horizon. An idle shard costs half a read unit; a shard with work is
 * locked first, because two acquirers would only make each other's transactions fail.
 */
export async function acquireShard(deps: AcquirerDeps, shard: string, run: ShardRun): Promise<ShardResult> {
  const { tables, clock, entropy, deployment } = deps;
  const { horizonMs } = deployment.settings;
  const through = timerDueThrough(clock.now() + horizonMs);
  const peek = await tables.query({ table: 'timers', partition: shard, through, limit: 1 });
  if (peek.rows.length === 0) return { ...NOTHING, complete: true };
  const owner = `acquirer/${entropy.token()}`;
  const key = acquireLockKey(shard);
  const lock = await takeLock(tables, key, owner, { now: clock.now(), expiresAt: run.lockUntil });
  if (!lock.taken) return { ...NOTHING, complete: true };
  try {
    return await fireDue(deps, shard, through, run);
  } finally {
    // A lock that cannot be released now expires later. The fired timers stay fired.
    await releaseLock(tables, key, owner).catch((error: unknown) => {
      deps.journal.record({ event: 'store-failed', reason: `lock#${shard}`, error: errorText(error, clock.now()) });
    });
  }
}

async function fireDue(deps: AcquirerDeps, shard: string, through: string, run: ShardRun): Promise<ShardResult> {
  const { timerPageSize } = deps.deployment.settings;
  const paced = { ...run, pace: deps.newPace?.() ?? writePace(deps.clock) };
  let [fired, lagMs] = [0, 0];
  let after: RowKey | undefined;
  do {
    const page = await deps.tables.query({
      table: 'timers',
      partition: shard,
      through,
      limit: timerPageSize,
      consistent: true,
      ...defined({ after }),
    });
    const lags = await firePage(deps, await readTimers(deps, page.rows), paced);
    fired += lags.length;
    lagMs = Math.max(lagMs, ...lags);
    if (deps.clock.now() >= run.stopAt) return { fired, lagMs, complete: false };
    after = page.cursor;
  } while (after !== undefined);
  return { fired, lagMs, complete: true };
}

/** Decodes a page. A row that cannot be read is quarantined, so that it does not block the head of its shard forever. */
async function readTimers(deps: AcquirerDeps, rows: readonly Row[]): Promise<readonly DueTimer[]> {
  const timers: DueTimer[] = [];
  for (const row of rows) {
    try {
      timers.push({ timer: decodeJob(row), key: keyOf(TABLE_SPECS.timers, row), units: IN_TRANSACTION * writeUnits(row) });
    } catch (error) {
      // A row that cannot be quarantined must not block the other timers.
      await quarantineTimer(deps, row, error).catch((failure: unknown) => {
        deps.journal.record({ event: 'store-failed', reason: 'quarantine', error: errorText(failure, deps.clock.now()) });
      });
    }
  }
  return timers;
}

/** An unreadable occurrence does not end its schedule. */
async function quarantineTimer(deps: AcquirerDeps, row: Row, error: unknown): Promise<void> {
  await quarantineInGroup(deps, { table: 'timers', row, error });
  const { schedule } = row;
  if (typeof schedule === 'string') await repairSchedule(deps.tables, schedule, scheduleTerms(deps));
}

/** Fires a page and returns how late each timer was, in milliseconds; negative if it was fired ahead of time. */
async function firePage(
  deps: AcquirerDeps,
  timers: readonly DueTimer[],
  run: ShardRun & { readonly pace: WritePace },
): Promise<readonly number[]> {
  const { clock, entropy, deployment, tables, journal } = deps;
  const { redispatchAfterMs, parallelTransactions } = deployment.settings;
  const now = clock.now();
  const plain = timers.filter(({ timer }) => !isOccurrence(timer));
  const terms = (): ReadyTerms => ({ token: entropy.token(), now, redispatchAfterMs });
  const pages = packFirings(plain.map(({ timer, key, units }) => ({ ...firing(timer, terms(), key), units })));
  // An occurrence also updates its schedule, so each has its own transaction.
  const chains = timers.filter(({ timer }) => isOccurrence(timer));
  const dueThrough = now + deployment.settings.horizonMs;
  const lags: number[] = [];
  await mapLimited([...pages, ...chains], parallelTransactions, async (one) => {
    const units = 'timer' in one ? one.units : one.reduce((sum, { units: own }) => sum + own, 0);
    await run.pace.take(units, run.stopAt);
    if (clock.now() >= run.stopAt) return;
    const fired: readonly Firing[] = 'timer' in one ? await fireChain(deps, one, { ...run, dueThrough }) : await fire(tables, one);
    for (const { job } of fired) {
      const timerLagMs = clock.now() - job.dueAt;
      lags.push(timerLagMs);
      journal.record({ event: 'timers-fired', worker: job.worker, job: jobRef(job), timerLagMs });
    }
    await sendHints(
      deps,
      fired.map(({ job }) => job),
      clock.now(),
    );
  });
  return lags;
}
