import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { shardsOf } from '../../shared/job/job-id.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { acquireShard } from './acquire-shard.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import type { AcquirerDeps } from './deps.ts';
import { ACQUIRER_DUTIES } from './duties.ts';

/** What a run did. */
export interface AcquirerReport {
  readonly fired: number;
  /** Shards that still had due timers when time ran out; the next tick continues with them. */
  readonly unfinished: number;
  /** Shards that failed. Their errors are journalled; the other shards continued. */
  readonly failed: number;
  /** How late the latest timer was fired, in milliseconds; 0 when all were fired ahead of time. */
  readonly lagMs: number;
  /** Parked jobs that were released because their limit had room. */
  readonly released: number;
}

const STOP_BEFORE_MS = 5_000;

/**
 * Fires every timer that is due within the horizon, then does its duties. Safe if ticks are duplicated, missed, late or overlapping. Throws
 * StoreUnavailableError if no shard could be read.
 */
export async function acquireTimers(deps: AcquirerDeps, share: AcquirerShare, invocation: Invocation): Promise<AcquirerReport> {
  const { clock, deployment, entropy, journal } = deps;
  const run = { stopAt: invocation.deadlineAt - STOP_BEFORE_MS, lockUntil: invocation.deadlineAt + deployment.settings.leaseMarginMs };
  // Starts at a different shard each time, so that a run that never reaches the last shards does not starve them.
  const shards = shardsOf(share.of, share.acquirer);
  const start = Math.floor(entropy.random() * shards.length);
  let lastError: unknown;
  const report = { fired: 0, unfinished: 0, failed: 0, lagMs: 0, released: 0 };
  await mapLimited([...shards.slice(start), ...shards.slice(0, start)], deployment.settings.parallelShards, async (shard) => {
    if (clock.now() >= run.stopAt) {
      report.unfinished++;
      return;
    }
    try {
      const result = await acquireShard(deps, shard, run);
      report.fired += result.fired;
      report.lagMs = Math.max(report.lagMs, result.lagMs);
      if (!result.complete) report.unfinished++;
    } catch (error) {
      report.failed++;
      lastError = error;
      journal.record({ event: 'store-failed', reason: `shard#${shard}`, error: errorText(error, clock.now()) });
    }
  });
  // Without a readable shard the run fails, and the missing heartbeat raises the alarm.
  if (report.failed === shards.length) throw new StoreUnavailableError('acquire timers of any shard', lastError);
  for (const duty of ACQUIRER_DUTIES) {
    const released = await duty.run(deps, share, run.stopAt).catch((error: unknown) => {
      journal.record({ event: 'store-failed', reason: duty.name, error: errorText(error, clock.now()) });
      return 0;
    });
    report.released += released;
  }
  journal.gauge({ name: 'acquirer-heartbeat', value: 1 });
  const missing = defined({ missingPermission: deps.missingPermission?.() });
  await writeHeartbeat(deps.tables, `acquirer/${share.acquirer}`, clock.now(), { ...report, ...missing }).catch((error: unknown) => {
    journal.record({ event: 'store-failed', reason: 'heartbeat', error: errorText(error, clock.now()) });
  });
  return report;
}
