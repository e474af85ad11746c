import { join } from 'node:path';
import { runShare } from '../../support/run-share.ts';
import { addReport, type Exploration, type FlowReport } from './explore.ts';

const SHARE = join(import.meta.dirname, 'explore-share.ts');

/** Explores flows in this many processes; returns the complete report of each flow. */
export async function exploreAll(
  names: readonly string[],
  { paired, base }: Pick<Exploration, 'paired' | 'base'>,
  processes: number,
): Promise<readonly FlowReport[]> {
  const whole = new Map<string, FlowReport>();
  await Promise.all(
    Array.from({ length: processes }, (_, share) =>
      runShare(SHARE, [...[paired, base, share, processes].map(String), ...names], (found) => {
        const report = found as FlowReport;
        const known = whole.get(report.flow);
        if (known === undefined) whole.set(report.flow, report);
        else addReport(known, report);
      }),
    ),
  );
  return names.flatMap((name) => whole.get(name) ?? []);
}
