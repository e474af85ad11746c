import { join } from 'node:path';
import { runShare } from '../support/run-share.ts';
import { addReport, type FlowReport } from './explore.ts';

const SHARE = join(import.meta.dirname, 'explore-share.ts');

/** Explores flows in so many processes, with a second fault after `paired` first ones of each; the report of each flow, whole. */
export async function exploreAll(names: readonly string[], paired: number, processes: number): Promise<readonly FlowReport[]> {
  const whole = new Map<string, FlowReport>();
  await Promise.all(
    Array.from({ length: processes }, (_, share) =>
      runShare(SHARE, [String(share), String(processes), String(paired), ...names], (found) => {
        const report = found as FlowReport;
        const known = whole.get(report.flow);
        if (known === undefined) whole.set(report.flow, report);
        else addReport(known, report);
      }),
    ),
  );
  return names.flatMap((name) => whole.get(name) ?? []);
}
