import type { Chosen, Point, PointFault } from './chosen-faults.ts';
import type { Flow } from './flow.ts';
import { type FlowRun, runFlow } from './run-flow.ts';

/** A run that broke a rule, and the faults that show it again. */
export interface Broken {
  readonly flow: string;
  readonly faults: string;
  readonly findings: readonly string[];
}

/** What the exploration of a flow came to; plain data, so that processes can hand it to each other. */
export interface FlowReport {
  readonly flow: string;
  readonly points: number;
  singles: number;
  pairs: number;
  operations: number;
  /** Handlers that ran beside each other where nobody killed at the deadline: how it is seen that those faults bite. */
  overlaps: number;
  readonly broken: Broken[];
}

/** `outlived` differs from `overtaken` by its length only, and a write that comes late has no need of a second fault. */
const IN_PAIRS: ReadonlySet<PointFault> = new Set<PointFault>(['crash-before', 'crash-after', 'lost-reply', 'pause', 'overtaken']);

/**
 * Runs a flow with each fault at each await point; for at most `paired` of the first faults, spread evenly over the flow, also with
 * each second fault at each point that the first one left or brought about. `share` of `of`: only the first faults of that share.
 */
export async function explore(flow: Flow, paired: number, { share, of } = { share: 0, of: 1 }): Promise<FlowReport> {
  const without = await runFlow(flow, []);
  const report: FlowReport = {
    flow: flow.name,
    points: without.points.length,
    singles: 0,
    pairs: 0,
    operations: 0,
    overlaps: 0,
    broken: [],
  };
  if (share === 0) note(report, [], without);
  const all = faultsAt(without.points);
  const firsts = all.filter((_, index) => index % of === share);
  const begins = beginnings(all, paired);
  for (const first of firsts) {
    const run = await runFlow(flow, [first], without);
    report.singles++;
    note(report, [first], run);
    if (!begins.has(first)) continue;
    for (const second of faultsAt(run.points.slice(first.at)).filter(({ fault }) => IN_PAIRS.has(fault))) {
      report.pairs++;
      note(report, [first, second], await runFlow(flow, [first, second], without));
    }
  }
  return report;
}

function beginnings(all: readonly Chosen[], paired: number): ReadonlySet<Chosen> {
  const possible = all.filter(({ fault }) => IN_PAIRS.has(fault));
  const step = Math.max(1, possible.length / Math.max(1, paired));
  return new Set(paired === 0 ? [] : possible.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)));
}

/** Adds the report of another share of the same flow. */
export function addReport(to: FlowReport, other: FlowReport): void {
  to.singles += other.singles;
  to.pairs += other.pairs;
  to.operations += other.operations;
  to.overlaps += other.overlaps;
  to.broken.push(...other.broken);
}

/** `3:crash-after,7:lost-reply`. */
export function faultsText(chosen: readonly Chosen[]): string {
  return chosen.map(({ at, fault }) => `${at}:${fault}`).join(',');
}

function faultsAt(points: readonly Point[]): readonly Chosen[] {
  return points.flatMap(({ number, faults }) => faults.map((fault): Chosen => ({ at: number, fault })));
}

function note(report: FlowReport, chosen: readonly Chosen[], run: FlowRun): void {
  report.operations += run.operations;
  report.overlaps += run.overlaps;
  if (run.findings.length > 0) report.broken.push({ flow: report.flow, faults: faultsText(chosen), findings: run.findings });
}
