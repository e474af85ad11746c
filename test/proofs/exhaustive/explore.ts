import { hash32 } from '../../../shared/job/hash.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { Chosen, Point, PointFault } from './chosen-faults.ts';
import type { Flow } from './flow.ts';
import { faultsText } from './faults-text.ts';
import { type FlowRun, runFlow } from './run-flow.ts';

/** A run that broke a rule, and the faults that show it again. */
export interface Broken {
  readonly flow: string;
  readonly faults: string;
  readonly findings: readonly string[];
}

/** The result of exploring a flow; plain data, so that processes can exchange it. */
export interface FlowReport {
  readonly flow: string;
  readonly points: number;
  singles: number;
  pairs: number;
  operations: number;
  /** Handlers that overlapped because no process was killed at its deadline: this shows that those faults take effect. */
  overlaps: number;
  readonly broken: Broken[];
}

/** `outlived` differs from `overtaken` by its length only, and a write that comes late has no need of a second fault. */
const IN_PAIRS: ReadonlySet<PointFault> = new Set<PointFault>(['crash-before', 'crash-after', 'lost-reply', 'pause', 'overtaken']);

/** Which pairs to run, and which part of it all. */
export interface Exploration {
  /** At most this many first faults of a flow are combined with each second one. They are spread over the flow, and drawn from the base. */
  readonly paired: number;
  readonly base: number;
  /** Only the first faults of this share. */
  readonly share?: number;
  readonly of?: number;
}

/**
 * Runs a flow with each fault at each await point; for some of the first faults also with each second fault at each point that the
 * first one left or brought about.
 */
export async function explore(flow: Flow, { paired, base, share = 0, of = 1 }: Exploration): Promise<FlowReport> {
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
  const begins = beginnings(all, paired, hash32(`${base}/${flow.name}`));
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

/** One fault of each of `paired` stretches of the flow. */
function beginnings(all: readonly Chosen[], paired: number, seed: number): ReadonlySet<Chosen> {
  const possible = all.filter(({ fault }) => IN_PAIRS.has(fault));
  if (paired >= possible.length) return new Set(possible);
  const entropy = seededEntropy(seed);
  const stretch = possible.length / paired;
  const drawn = Array.from({ length: paired }, (_, index) => possible[Math.floor((index + entropy.random()) * stretch)] as Chosen);
  return new Set(drawn);
}

/** Adds the report of another share of the same flow. */
export function addReport(to: FlowReport, other: FlowReport): void {
  to.singles += other.singles;
  to.pairs += other.pairs;
  to.operations += other.operations;
  to.overlaps += other.overlaps;
  to.broken.push(...other.broken);
}

function faultsAt(points: readonly Point[]): readonly Chosen[] {
  return points.flatMap(({ number, faults }) => faults.map((fault): Chosen => ({ at: number, fault })));
}

function note(report: FlowReport, chosen: readonly Chosen[], run: FlowRun): void {
  report.operations += run.operations;
  report.overlaps += run.overlaps;
  if (run.findings.length > 0) report.broken.push({ flow: report.flow, faults: faultsText(chosen), findings: run.findings });
}
