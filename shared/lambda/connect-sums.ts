import type { Deployment } from '../config/environment.ts';
import { errorText } from '../job/error-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import { ErrorGroupSums } from '../features/error-groups/store/error-group-sums.ts';
import { flushErrorGroups } from '../features/error-groups/store/error-groups.ts';
import { STATISTICS_KINDS } from '../features/statistics/model/statistics.ts';
import { StatisticsSums, type SummedMinute } from '../features/statistics/store/statistics-sums.ts';
import { addToMinute } from '../features/statistics/store/statistics-rows.ts';

/** What sums are connected with: the ports of one invocation. */
export interface SumsDeps {
  readonly deployment: Pick<Deployment, 'settings' | 'worker'>;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** What a process sums up over its invocations, connected with one of them. */
export interface ConnectedSums {
  /** Counts entries and passes them on. */
  readonly journal: Journal;
  readonly errorGroups: ErrorGroupSums;
  /** Writes what was summed up, at most every ten seconds unless `all`: when a process ends for good. Never rejects. */
  readonly flush: (all?: boolean) => Promise<void>;
}

/** The sums of one process. */
export function createSums(): (deps: SumsDeps) => ConnectedSums {
  const [errorGroups, statistics] = [new ErrorGroupSums(), new StatisticsSums()];
  return (deps) => {
    const { deployment, journal, clock } = deps;
    const { worker, settings } = deployment;
    const kinds = STATISTICS_KINDS.slice(0, settings.statistics - 1);
    return {
      journal: settings.statistics > 0 ? statistics.over(journal, () => clock.now(), worker, kinds) : journal,
      errorGroups,
      async flush(all = false) {
        const minutes = statistics.take(clock.now(), all);
        await Promise.all([flushErrorGroups({ ...deps, errorGroups }, all), ...minutes.map((one) => write(deps, statistics, one))]);
      },
    };
  };
}

async function write({ tables, journal, clock }: SumsDeps, statistics: StatisticsSums, minute: SummedMinute): Promise<void> {
  try {
    await addToMinute(tables, minute.worker, minute.at, minute.sums);
  } catch (error) {
    statistics.giveBack(minute);
    journal.record({ event: 'store-failed', reason: 'statistics', error: errorText(error, clock.now()) });
  }
}
