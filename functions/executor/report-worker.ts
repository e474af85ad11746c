import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import type { Deployment } from '../../shared/config/environment.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { AnyLimit } from '../../shared/job/limit.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { putReport, type WorkerReport } from '../../shared/features/workers/store/worker-rows.ts';

/** How often a busy process reports. */
export const REPORT_EVERY_MS = 5 * 60_000;
const TRY_AGAIN_MS = 60_000;

/** Dependencies of a report; passed to each call, because every invocation has its own. */
export interface ReportPorts {
  readonly deployment: Pick<Deployment, 'worker' | 'version'>;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Limits of the worker, besides those of its types. */
  readonly limits?: readonly AnyLimit[];
  /** Why the process makes its writes one by one, if the store refused them in batches. */
  readonly batchRefusal?: () => string | undefined;
  /** The permission that the store last found missing, if it did lately. */
  readonly missingPermission?: () => string | undefined;
}

/** Reports to the deployment which types a process handles. */
export interface WorkerReporter {
  /** One write, unless this process reported within the last 5 minutes. Never rejects: a failure is journalled and retried a minute later. */
  report(ports: ReportPorts): Promise<void>;
}

/** The types of these handlers, the versions of payloads beyond the first, the codecs and the limits. */
export function knownTypes(handlers: ReadonlyMap<string, HandledJob>): Pick<WorkerReport, 'types' | 'versions' | 'codecs' | 'limits'> {
  const types = [...handlers.values()].map(({ type }) => type);
  const versions = types.map((type) => [type.name, type.schemaVersion] as const);
  return {
    types: [...handlers.keys()],
    versions: new Map(versions.filter(([, version]) => version > 1)),
    codecs: knownCodecs(handlers),
    limits: types.flatMap(({ limits }) => limits),
  };
}

/** The codecs of these handlers, as a report has them. */
export function knownCodecs(handlers: ReadonlyMap<string, HandledJob>): readonly string[] {
  return [...handlers.values()].flatMap(({ type: { name, codec, codecs = [] } }) =>
    [...codecs].map(([known, one]) => name + (one === codec ? '=' : '@') + known),
  );
}

/** Creates the reporter of one process. `version`: used if the function's own version is unknown. */
export function createWorkerReporter(of: Omit<WorkerReport, 'worker' | 'at'>): WorkerReporter {
  let [last, pauseMs] = [Number.NaN, 0];
  return {
    async report({ deployment, tables, clock, journal, limits = [], batchRefusal, missingPermission }) {
      const { worker, version = of.version } = deployment;
      const at = clock.now();
      // If the clock was set back, the report is due.
      if (worker === undefined || (at >= last && at - last < pauseMs)) return;
      [last, pauseMs] = [at, REPORT_EVERY_MS];
      try {
        await putReport(tables, {
          ...of,
          limits: [...limits, ...(of.limits ?? [])],
          worker,
          version,
          at,
          ...defined({ batchRefusal: batchRefusal?.(), missingPermission: missingPermission?.() }),
        });
      } catch (error) {
        pauseMs = TRY_AGAIN_MS;
        journal.record({ event: 'store-failed', worker, reason: 'worker-report', error: errorText(error, clock.now()) });
      }
    },
  };
}
