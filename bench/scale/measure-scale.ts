import type { RunFigures } from './figures.ts';
import { type Growth, growthOf, isLinear } from './growth.ts';
import { DYNAMO } from './model/aws-limits.ts';
import { runInThreads, type ScaleRun } from './scenario-threads.ts';
import { type Scenario, SCENARIOS } from './scenarios/scenarios.ts';
import { type Share, SHARES } from './share.ts';

/** A scenario's two runs and their comparison. */
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

/** The result of `bench scale`. */
export interface ScaleFigures {
  readonly scenarios: readonly ScenarioFigures[];
}

/** The plan. `share`: of each size; default: the most that fits each scenario's part of a full run. */
export interface ScaleOptions {
  readonly share?: Share;
  readonly only?: readonly string[];
  /** Called before each run, with the completed share of all work. */
  readonly onRun?: (name: string, size: number, done: number) => void;
}

/** Runs the scenarios, each at a share of its size and at a tenth of that, two runs at a time. */
export async function measureScale({ share, only, onRun = () => {} }: ScaleOptions): Promise<ScaleFigures> {
  const chosen = SCENARIOS.filter(({ name }) => only === undefined || only.includes(name)).map((scenario) => {
    const part = share ?? scenario.usual;
    return { scenario, part, size: Math.max(10, Math.round(scenario.full * SHARES[part])) };
  });
  const runs: readonly ScaleRun[] = chosen.flatMap(({ scenario: { name }, size }) => [
    { name, size },
    { name, size: smallOf(size) },
  ]);
  const secondsOf = ({ name, size }: ScaleRun): number => {
    const { fullSeconds = 0, full = 1 } = SCENARIOS.find((scenario) => scenario.name === name) ?? {};
    return (fullSeconds * size) / full;
  };
  let begun = 0;
  // The long ones first, so that none of them is left over for one thread alone.
  const inTurn = runs.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const figures = await runInThreads(inTurn, ({ name, size }) => onRun(name, size, Math.max(0, begun++ - 1) / runs.length));
  const figuresOf = (name: string, size: number): RunFigures =>
    figures[inTurn.findIndex((run) => run.name === name && run.size === size)] as RunFigures;
  return {
    scenarios: chosen.map(({ scenario, part, size }) =>
      compared(scenario, part, figuresOf(scenario.name, smallOf(size)), figuresOf(scenario.name, size)),
    ),
  };
}

const smallOf = (size: number): number => Math.round(size / 10);

/** Holds a run against one of a tenth of its size. */
export function compared(
  scenario: Omit<Scenario, 'run' | 'usual' | 'fullSeconds'>,
  share: Share,
  small: RunFigures,
  large: RunFigures,
): ScenarioFigures {
  const { name, what, unit, full } = scenario;
  const growth = growthOf(small, large);
  return {
    name,
    what,
    unit,
    full,
    share,
    small,
    large,
    growth,
    linearOrBetter: isLinear(growth),
    keysBelowLimit: large.hottestWrite.unitsPerSecond < DYNAMO.keyWrites && large.throttles.key === 0,
  };
}
