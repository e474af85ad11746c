import { measureScale, type ScaleFigures, type Share } from './measure-scale.ts';
import { scaleTable } from './scale-table.ts';

/** What is run. */
export interface BenchScaleOptions {
  readonly share: Share;
  /** None: all of them. */
  readonly scenarios: readonly string[];
}

/** Runs the scenarios. Where somebody watches, each run is announced. */
export async function benchScale({
  share,
  scenarios,
}: BenchScaleOptions): Promise<{ readonly figures: ScaleFigures; readonly table: string }> {
  const onRun = (name: string, size: number): void => void (process.stderr.isTTY && process.stderr.write(`${name} at ${size}\n`));
  const figures = await measureScale({ share, onRun, ...(scenarios.length === 0 ? {} : { only: scenarios }) });
  return { figures, table: scaleTable(figures) };
}
