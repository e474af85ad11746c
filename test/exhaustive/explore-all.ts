import { join } from 'node:path';
import { boundFork } from '../support/bound-fork.ts';
import { addReport, type FlowReport } from './explore.ts';

const SHARE = join(import.meta.dirname, 'explore-share.ts');

/** Explores flows in so many processes, with a second fault after `paired` first ones of each; the report of each flow, whole. */
export async function exploreAll(names: readonly string[], paired: number, processes: number): Promise<readonly FlowReport[]> {
  const whole = new Map<string, FlowReport>();
  await Promise.all(
    Array.from({ length: processes }, (_, share) =>
      runShare([String(share), String(processes), String(paired), ...names], (report) => {
        const known = whole.get(report.flow);
        if (known === undefined) whole.set(report.flow, report);
        else addReport(known, report);
      }),
    ),
  );
  return names.flatMap((name) => whole.get(name) ?? []);
}

function runShare(args: readonly string[], onReport: (report: FlowReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = boundFork(SHARE, args);
    child.on('message', (message) => onReport(message as FlowReport));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A process that explored flows ended with ${code}.`))));
  });
}
