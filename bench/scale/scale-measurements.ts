import { compared, measured, type Measurement, type Target } from '../frame/measurement.ts';
import type { RunFigures } from './figures.ts';
import { TOLERANCE } from './growth.ts';
import type { ScaleFigures, ScenarioFigures } from './measure-scale.ts';
import { DYNAMO } from './model/aws-limits.ts';
import { OWN_FIGURES } from './own-figures.ts';

/** A key that took as much as it may was throttled or about to be. */
const UNDER_KEY_LIMIT: Target = { at: 'most', value: DYNAMO.keyWrites - 1 };
/** Seconds until a full size has drained, where one is asked for. */
const DRAIN_SECONDS: Readonly<Record<string, number>> = { 'timers-warm': 130 };

/** The figures of every scenario as lines of the report, of the larger of its two runs; `scale.<scenario>.<figure>`. */
export const scaleMeasurements = ({ scenarios }: ScaleFigures): readonly Measurement[] => scenarios.flatMap(ofScenario);

function ofScenario(scenario: ScenarioFigures): readonly Measurement[] {
  const { name, unit, large } = scenario;
  const line: Line = (figure, [what, unitOf], value, target) =>
    measured({ id: `scale.${name}.${figure}`, what: `${name}: ${what}`, unit: unitOf, ...(target === undefined ? {} : { target }) }, [
      value,
    ]);
  const { key, table, givenUp } = large.throttles;
  return [
    line('size', ['size that ran', unit], large.size),
    line('hottestWrite', ['hottest key', 'write units/s'], large.hottestWrite.unitsPerSecond, UNDER_KEY_LIMIT),
    line('hottestRead', ['hottest key', 'read units/s'], large.hottestRead.unitsPerSecond, { at: 'most', value: DYNAMO.keyReads }),
    ...drain(scenario, line),
    line('throttles.key', ['throttled by a key', 'requests'], key),
    line('throttles.table', ['throttled by a table', 'requests'], table),
    line('throttles.givenUp', ['failed after all tries', 'requests'], givenUp),
    line('conflicts', ['conflicts of transactions', 'requests'], large.conflicts),
    line('writeUnitsPerJob', ['write units of one job', 'write units'], large.writeUnitsPerJob),
    line('dollarsPerMillion', ['cost of a million', 'USD'], large.dollarsPerMillion),
    ...growth(scenario, line),
    ...ownLines(name, large),
  ];
}

type Line = (figure: string, ofWhat: readonly [what: string, unit: string], value: number, target?: Target) => Measurement;

/** The time to drain, and its ratio to the minimum that the tables allow, if the scenario knows it. The target applies only at full size. */
function drain({ name, share, large }: ScenarioFigures, line: Line): readonly Measurement[] {
  const { drainSeconds, own } = large;
  const max = share === 'full' ? DRAIN_SECONDS[name] : undefined;
  const alone = line('drainSeconds', ['time to drain', 's'], drainSeconds, max === undefined ? undefined : { at: 'most', value: max });
  const bound = own['boundSeconds'];
  if (bound === undefined) return [alone];
  const [what, baselineName] = [`${name}: time to drain, against the minimum`, 'minimum that the write units of Jobs allow'];
  return [alone, compared({ id: `scale.${name}.drainOverBound`, what, unit: 's', baselineName }, [drainSeconds], [bound])];
}

/** Linear is as often as the work grew. */
function growth({ growth: { work, drain: time, writeUnits, dollars } }: ScenarioFigures, line: Line): readonly Measurement[] {
  const linear: Target = { at: 'most', value: work * TOLERANCE };
  const grown = (what: string): string => `${what} when the work grows ${work}-fold`;
  return [
    line('growth.drain', [grown('time to drain'), 'times'], time, linear),
    line('growth.writeUnits', [grown('write units'), 'times'], writeUnits, linear),
    line('growth.dollars', [grown('dollars'), 'times'], dollars, linear),
  ];
}

function ownLines(name: string, { own }: RunFigures): readonly Measurement[] {
  return Object.entries(own).flatMap(([key, value]) => {
    const { what, unit, max, baseline } = OWN_FIGURES[key] ?? {};
    if (what === undefined || unit === undefined) return [];
    const named = { id: `scale.${name}.${key}`, what: `${name}: ${what}`, unit };
    const other = baseline === undefined ? undefined : own[baseline];
    if (baseline !== undefined && other !== undefined) {
      return [compared({ ...named, baselineName: OWN_FIGURES[baseline]?.what ?? baseline }, [value], [other])];
    }
    return [measured({ ...named, ...(max === undefined ? {} : { target: { at: 'most', value: max } }) }, [value])];
  });
}
