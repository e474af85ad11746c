import { errorText } from '../../shared/core/error-text.ts';
import { iso } from '../../shared/core/instant.ts';
import { mendSchedule } from '../../shared/store/mend-schedule.ts';
import { queryScheduleRows } from '../../shared/store/schedules.ts';
import type { SweeperParts } from './parts.ts';

/** Schedules that one run looks at more closely; more than this late means that the acquirer does not keep up. */
const MOST_LOOKS = 200;

/**
 * Finds schedules whose next occurrence should have been fired by now and writes its timer if it is missing. A schedule that runs
 * costs nothing but its share of one query: its next occurrence lies beyond the horizon. Returns how many were mended.
 */
export async function mendSchedules(parts: SweeperParts, stopAt: number): Promise<number> {
  const { clock, deployment, tables } = parts;
  const { horizonMs, acquirerIntervalMs } = deployment.settings;
  // The acquirer fires up to a horizon ahead; one tick may be late and one missed.
  const overdue = iso(clock.now() + horizonMs - 2 * acquirerIntervalMs - 60_000);
  let [mended, looks] = [0, 0];
  let after: string | undefined;
  do {
    const page = await queryScheduleRows(tables, after === undefined ? {} : { after });
    for (const row of page.rows) {
      if (typeof row['nextDue'] !== 'string' || row['nextDue'] > overdue) continue;
      if (looks++ >= MOST_LOOKS || clock.now() >= stopAt) return mended;
      if (await mendQuietly(parts, String(row['sk']))) mended++;
    }
    after = page.cursor?.['sk'];
  } while (after !== undefined);
  return mended;
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
