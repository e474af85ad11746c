import { PRICES, type PriceName } from '../../cli/cost/prices.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { HotKey } from './model/table-capacity.ts';
import type { ScaleWorld } from './model/scale-world.ts';

/** The result of one run of a scenario. Times are the model's, except `tookSeconds`, which is the machine's. */
export interface RunFigures {
  /** The size: jobs, jobs per second, or schedules, depending on the scenario. */
  readonly size: number;
  readonly jobs: number;
  /** From the end of the work's arrival, or from the due time, until the last job ended. */
  readonly drainSeconds: number;
  readonly hottestWrite: HotKey;
  readonly hottestRead: HotKey;
  /** Requests that were throttled, by the limit of one key or of the table, and those that failed after all tries. */
  readonly throttles: { readonly key: number; readonly table: number; readonly givenUp: number };
  /** Requests that met a transaction under way at one of their rows, and were tried again. */
  readonly conflicts: number;
  readonly writeUnitsPerJob: number;
  readonly dollarsPerMillion: number;
  /** Of the whole run, not rounded. */
  readonly totals: { readonly writeUnits: number; readonly readUnits: number; readonly dollars: number };
  readonly mostExecutors: number;
  readonly tookSeconds: number;
  /** Figures of this scenario only. */
  readonly own: Readonly<Record<string, number>>;
}

/** A scenario's own figures, in addition to those counted by the world. */
export interface OwnFigures {
  readonly size: number;
  /** The divisor of the cost, usually jobs. */
  readonly jobs: number;
  readonly drainMs: number;
  readonly own?: Readonly<Record<string, number>>;
  readonly startedAt: number;
}

/** The figures of a world after its scenario. */
export function figuresOf(world: ScaleWorld, { size, jobs, drainMs, own = {}, startedAt }: OwnFigures): RunFigures {
  const meters = TABLE_NAMES.map((name) => ({ name, capacity: world.tables.capacity(name) }));
  const hottest = (kind: 'writes' | 'reads'): HotKey =>
    meters
      .map(({ name, capacity }) => ({
        key: `${name} ${capacity[kind].hottest.key}`.trim(),
        unitsPerSecond: capacity[kind].hottest.unitsPerSecond,
      }))
      .reduce((most, one) => (one.unitsPerSecond > most.unitsPerSecond ? one : most));
  const sum = (of: (one: (typeof meters)[number]) => number): number => meters.reduce((all, one) => all + of(one), 0);
  const throttled = (by: 'key' | 'table'): number => sum(({ capacity }) => capacity.writes.throttled[by] + capacity.reads.throttled[by]);
  const [writeUnits, readUnits] = [sum(({ capacity }) => capacity.writes.total), sum(({ capacity }) => capacity.reads.total)];
  const dollars = dollarsOf(world, writeUnits, readUnits);
  return {
    size,
    jobs,
    drainSeconds: round(drainMs / 1000),
    hottestWrite: hottest('writes'),
    hottestRead: hottest('reads'),
    throttles: { key: throttled('key'), table: throttled('table'), givenUp: world.tables.givenUp },
    conflicts: world.tables.conflicts,
    writeUnitsPerJob: round(writeUnits / jobs),
    dollarsPerMillion: round((dollars / jobs) * 1e6),
    totals: { writeUnits, readUnits, dollars },
    mostExecutors: Math.max(0, ...world.sources.map(({ peak }) => peak)),
    tookSeconds: round((performance.now() - startedAt) / 1000),
    own,
  };
}

function dollarsOf({ hints, executors, ticks, deployment }: ScaleWorld, writeUnits: number, readUnits: number): number {
  const { standard, fair, fifo } = hints.requests;
  const { executorMemoryMb, acquirerMemoryMb } = deployment.settings;
  const amounts: Partial<Record<PriceName, number>> = {
    writeUnit: writeUnits,
    readUnit: readUnits,
    standardRequest: standard + fair,
    fairRequest: fair,
    fifoRequest: fifo,
    invocation: executors.invocations + ticks.invocations,
    gbSecond: (executors.billedMs * executorMemoryMb + ticks.billedMs * acquirerMemoryMb) / 1_024_000,
    scheduledTick: ticks.invocations,
  };
  return Object.entries(amounts).reduce(
    (sum, [name, amount]) => sum + (amount * PRICES[name as PriceName].usd) / PRICES[name as PriceName].per,
    0,
  );
}

/** Rounds to three places. */
export const round = (value: number): number => Math.round(value * 1000) / 1000;
