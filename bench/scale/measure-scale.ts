import type { RunFigures } from './figures.ts';
import { round } from './figures.ts';
import { DYNAMO } from './model/aws-limits.ts';
import { type Scenario, SCENARIOS } from './scenarios/scenarios.ts';

/** Which part of a scenario's full size is run; a run of a tenth of that is what its growth is measured against. */
export const SHARES = { full: 1, tenth: 0.1, hundredth: 0.01 } as const;
export type Share = keyof typeof SHARES;

/** How often a figure grew when the work grew tenfold. Those of time, units and dollars are of the whole, not of one job. */
export interface Growth {
  readonly work: number;
  readonly drain: number;
  readonly writeUnits: number;
  readonly dollars: number;
}

/** A scenario's two runs and what they say together. */
export interface ScenarioFigures {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  /** The size that was asked for, which need not be the one that ran. */
  readonly full: number;
  readonly share: Share;
  readonly small: RunFigures;
  readonly large: RunFigures;
  readonly growth: Growth;
  /** Nothing grew faster than the work. */
  readonly linearOrBetter: boolean;
  /** The hottest partition key stayed below its limit, and none was throttled. */
  readonly keysBelowLimit: boolean;
}

/** What `bench scale` found. */
export interface ScaleFigures {
  readonly scenarios: readonly ScenarioFigures[];
}

/** What is run. `onRun` is told before each run, with the share of the scenarios that is done. */
export interface ScaleOptions {
  readonly share: Share;
  readonly only?: readonly string[];
  readonly onRun?: (name: string, size: number, done: number) => void;
}

/** Runs the scenarios one after the other, each at a share of its size and at a tenth of that. */
export async function measureScale({ share, only, onRun = () => {} }: ScaleOptions): Promise<ScaleFigures> {
  const scenarios: ScenarioFigures[] = [];
  const chosen = SCENARIOS.filter(({ name }) => only === undefined || only.includes(name));
  for (const [index, scenario] of chosen.entries()) {
    const size = Math.round(scenario.full * SHARES[share]);
    onRun(scenario.name, size / 10, index / chosen.length);
    const small = await scenario.run(size / 10);
    onRun(scenario.name, size, (index + 0.1) / chosen.length);
    scenarios.push(compared(scenario, share, small, await scenario.run(size)));
  }
  return { scenarios };
}

/** A run of a machine that works is no proof of growth below this: rounding to ticks and seconds is most of it. */
const TOO_SHORT_SECONDS = 1;
const TOLERANCE = 1.1;

/** Holds a run against one of a tenth of its size. */
export function compared(scenario: Omit<Scenario, 'run'>, share: Share, small: RunFigures, large: RunFigures): ScenarioFigures {
  const { name, what, unit, full } = scenario;
  const work = large.size / small.size;
  const growth: Growth = {
    work,
    drain: small.drainSeconds <= 0 ? 0 : round(large.drainSeconds / small.drainSeconds),
    writeUnits: ratioOfTotals(small, large, ({ writeUnitsPerJob }) => writeUnitsPerJob),
    dollars: ratioOfTotals(small, large, ({ dollarsPerMillion }) => dollarsPerMillion),
  };
  const most = work * TOLERANCE;
  const drainGrows = large.drainSeconds > TOO_SHORT_SECONDS && large.drainSeconds > Math.max(small.drainSeconds, TOO_SHORT_SECONDS) * most;
  return {
    name,
    what,
    unit,
    full,
    share,
    small,
    large,
    growth,
    linearOrBetter: !drainGrows && growth.writeUnits <= most && growth.dollars <= most,
    keysBelowLimit: large.hottestWrite.unitsPerSecond < DYNAMO.keyWrites && large.throttles.key === 0,
  };
}

function ratioOfTotals(small: RunFigures, large: RunFigures, perJob: (run: RunFigures) => number): number {
  const before = perJob(small) * small.jobs;
  return before === 0 ? 0 : round((perJob(large) * large.jobs) / before);
}
