import { errorText } from '../../shared/core/error-text.ts';
import { iso } from '../../shared/core/instant.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { RowKey } from '../../shared/ports/tables.ts';
import { partitionsWithSchedules, schedulesOf } from '../../shared/store/list-schedules.ts';
import { mendSchedule } from '../../shared/store/mend-schedule.ts';
import type { SweeperParts } from './parts.ts';

/** Schedules that one run looks at more closely; more than this late means that the acquirer does not keep up. */
const MOST_LOOKS = 200;
const PARALLEL = 4;

/** A run that goes through the partitions. */
interface Walk {
  readonly stopAt: number;
  /** Schedules whose next occurrence is due until then should have been fired. */
  readonly overdue: string;
  looks: number;
  mended: number;
}

/**
 * Finds schedules whose next occurrence should have been fired by now and writes its timer if it is missing. A schedule that runs
 * costs nothing but its share of one query: its next occurrence lies beyond the horizon. Without schedules it costs half a read unit.
 * Returns how many were mended.
 */
export async function mendSchedules(parts: SweeperParts, stopAt: number): Promise<number> {
  const { clock, deployment, tables } = parts;
  const { horizonMs, acquirerIntervalMs, sweeperIntervalMs } = deployment.settings;
  const partitions = await partitionsWithSchedules(tables);
  // The acquirer fires up to a horizon ahead; one tick may be late and one missed.
  const overdue = iso(clock.now() + horizonMs - 2 * acquirerIntervalMs - 60_000);
  const walk: Walk = { stopAt, overdue, looks: 0, mended: 0 };
  // From another one each time, so that a run that ends early does not starve the last ones.
  const turn = partitions.length === 0 ? 0 : Math.floor(clock.now() / sweeperIntervalMs) % partitions.length;
  await mapLimited([...partitions.slice(turn), ...partitions.slice(0, turn)], PARALLEL, async (partition) =>
    mendPartition(parts, partition, walk),
  );
  return walk.mended;
}

async function mendPartition(parts: SweeperParts, partition: string, walk: Walk): Promise<void> {
  let after: RowKey | undefined;
  do {
    const page = await schedulesOf(parts.tables, partition, after);
    for (const row of page.rows) {
      if (typeof row['nextDue'] !== 'string' || row['nextDue'] > walk.overdue) continue;
      if (walk.looks++ >= MOST_LOOKS || parts.clock.now() >= walk.stopAt) return;
      if (await mendQuietly(parts, String(row['sk']))) walk.mended++;
    }
    after = page.cursor;
  } while (after !== undefined);
}

/** One schedule that cannot be mended now must not keep the others from being. */
async function mendQuietly({ tables, clock, entropy, deployment, journal }: SweeperParts, name: string): Promise<boolean> {
  try {
    const terms = { now: clock.now(), token: entropy.token(), lanesOf: (worker: string) => deployment.workers.get(worker) };
    return await mendSchedule(tables, name, terms);
  } catch (error) {
    journal.record({ event: 'store-failed', reason: `schedule ${name}`, error: errorText(error, clock.now()) });
    return false;
  }
}
