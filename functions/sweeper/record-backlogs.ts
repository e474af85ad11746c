import type { Measurement } from '../../shared/features/backlogs/model/backlog.ts';
import { type BoundedType, writeMeasurement } from '../../shared/features/backlogs/store/backlog-rows.ts';
import type { SweeperDeps } from './deps.ts';
import type { Pass } from './sweep-cursor.ts';

/**
 * Writes how many jobs of each type with a bound were ready. `passes`: the last complete pass of every segment. A type that one of them did not
 * count from its beginning waits for the next pass, and passes that are recorded are not recorded again.
 */
export async function recordBacklogs(
  { tables, clock }: Pick<SweeperDeps, 'tables' | 'clock'>,
  bounded: readonly BoundedType[],
  passes: readonly Pass[],
): Promise<void> {
  for (const { type, measured } of bounded) {
    const now = clock.now();
    const sum = sumOf(type, passes);
    if (sum === undefined) continue;
    if (measured !== undefined && measured.from >= sum.from && measured.from <= now) continue;
    await writeMeasurement(tables, type, { ...sum, at: now });
  }
}

/** The count of a type in all segments; undefined if a segment has none. */
function sumOf(type: string, passes: readonly Pass[]): Pick<Measurement, 'count' | 'from'> | undefined {
  const counted = passes.flatMap(({ waiting }) => {
    const count = waiting?.types?.get(type);
    return waiting === undefined || count === undefined ? [] : [{ count, from: waiting.from }];
  });
  if (counted.length === 0 || counted.length < passes.length) return undefined;
  return { count: counted.reduce((sum, { count }) => sum + count, 0), from: Math.min(...counted.map(({ from }) => from)) };
}
