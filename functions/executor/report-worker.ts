import { errorText } from '../../shared/core/error-text.ts';
import type { Deployment } from '../../shared/config/environment.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { putReport, type WorkerReport } from '../../shared/features/workers/store/worker-rows.ts';

/** How often a busy process reports. */
export const REPORT_EVERY_MS = 5 * 60_000;
const TRY_AGAIN_MS = 60_000;

/** What a report needs; handed in each time, because an invocation brings its own. */
export interface ReportPorts {
  readonly deployment: Pick<Deployment, 'worker' | 'version'>;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** Tells the deployment which types a process has handlers for. */
export interface WorkerReporter {
  /** One write, unless this process reported within the last 5 minutes. Never rejects: a store that refuses is journalled, and asked again a minute later. */
  report(ports: ReportPorts): Promise<void>;
}

/** A reporter for one process, kept as long as it lives. `version`: where the function's own is not known. */
export function createWorkerReporter(of: Pick<WorkerReport, 'kind' | 'types' | 'version'>): WorkerReporter {
  let [last, pauseMs] = [Number.NaN, 0];
  return {
    async report({ deployment, tables, clock, journal }) {
      const { worker, version = of.version } = deployment;
      const at = clock.now();
      // A clock that was set back counts as a new one.
      if (worker === undefined || (at >= last && at - last < pauseMs)) return;
      [last, pauseMs] = [at, REPORT_EVERY_MS];
      try {
        await putReport(tables, { ...of, worker, version, at });
      } catch (error) {
        pauseMs = TRY_AGAIN_MS;
        journal.record({ event: 'store-failed', worker, reason: 'report of the worker', error: errorText(error, clock.now()) });
      }
    },
  };
}
