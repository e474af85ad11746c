import { isQueueOwner } from '../../../../shared/job/lock-owner.ts';
import type { World } from '../world/world.ts';

/** A full pass of the sweeper over a table of which one run reads ten rows; a backlog would explain an hour. */
const PATIENCE_MS = 40 * 60_000;

/** Once everything works again, since `begun`, and where no queue says what waits in it: no job waits for a hint that was lost. */
export function checkRescued({ checks, store, time }: World, begun: number): void {
  for (const { id, lockOwner, lockExpiresAt } of store.tables.rows('jobs')) {
    const since = time.now - Math.max(begun, Date.parse(String(lockExpiresAt)));
    if (isQueueOwner(String(lockOwner)) && since > PATIENCE_MS)
      checks.violations.add('rescued-in-time', `${id} has waited for ${since} ms for a hint that nobody sent again`);
  }
}
