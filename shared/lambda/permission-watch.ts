import { missingPermission } from '../job/missing-permission.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';

/** Twice the time after which a busy process reports: what was denied longer ago may be allowed by now. */
const NOTED_MS = 10 * 60_000;

/** What a process learns of permissions that its role lacks, for its reports. */
export interface PermissionWatch {
  /** The same journal; each failure of the store that passes through it is looked at. */
  readonly journal: Journal;
  /** The permission that was missing last; undefined if none was within ten minutes. */
  readonly missing: () => string | undefined;
}

/** Notes the permission that AWS names in an error of the store. */
export function watchPermissions(journal: Journal, clock: Pick<Clock, 'now'>): PermissionWatch {
  let [last, at] = ['', Number.NEGATIVE_INFINITY];
  return {
    journal: {
      record(entry) {
        const found = entry.event === 'store-failed' ? missingPermission(entry.error?.message ?? '') : undefined;
        if (found !== undefined) [last, at] = [found, clock.now()];
        journal.record(entry);
      },
      gauge: (gauge) => journal.gauge(gauge),
      flush: () => journal.flush(),
    },
    missing: () => (clock.now() - at <= NOTED_MS ? last : undefined),
  };
}
