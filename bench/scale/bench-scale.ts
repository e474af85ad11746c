import { measureScale, type Share } from './measure-scale.ts';
import { scaleTable } from './scale-table.ts';

/** What is run, and whether the answer is for scripts: one line of JSON. */
export interface BenchScaleOptions {
  readonly share: Share;
  /** None: all of them. */
  readonly scenarios: readonly string[];
  readonly json: boolean;
}

/** Runs the scenarios and gives the report. Where somebody watches, each run is announced. */
export async function benchScale({ share, scenarios, json }: BenchScaleOptions): Promise<string> {
  const onRun = (name: string, size: number): void => void (process.stderr.isTTY && process.stderr.write(`${name} at ${size}\n`));
  const figures = await measureScale({ share, onRun, ...(scenarios.length === 0 ? {} : { only: scenarios }) });
  return json ? JSON.stringify(figures) : scaleTable(figures);
}
