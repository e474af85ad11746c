/** `npm run exhaustive`: each fault, and with `--pairs` two at a time, at each await point of each flow; exit code 1 when a rule was broken. */
import { baseLine } from '../../support/base-seed.ts';
import { runCommand } from '../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { type KnownFailure, knownFailures, oneOfEach, reportOpen, shownBriefly } from '../../support/known-failures.ts';
import type { Chosen } from './chosen-faults.ts';
import type { Broken, FlowReport } from './explore.ts';
import { exploreAll } from './explore-all.ts';
import { faultsText, parseFaults } from './faults-text.ts';
import { FLOWS, flowNamed } from './flows/flows.ts';
import { type ExhaustiveOptions, readOptions, USAGE } from './options.ts';
import { NEVER_STRUCK, runFlow } from './run-flow.ts';

const SHOWN = 20;

/** Faults that broke a rule in a flow once. */
interface KnownRun extends KnownFailure {
  readonly flow: string;
  readonly faults: string;
}

const known = knownFailures<KnownRun>(import.meta.dirname);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, async (args) => {
  const options = readOptions(args);
  const { flow, faults } = options;
  return flow === undefined || faults === undefined ? everything(options, args) : one(flow, faults);
});

async function one(name: string, faults: readonly Chosen[]): Promise<number> {
  const flow = flowNamed(name);
  const { findings } = await runFlow(flow, faults, await runFlow(flow, []), print);
  for (const finding of findings) print(`VIOLATION ${finding}`);
  print(`${name} with ${faultsText(faults) || 'no faults'}: ${findings.length} violations`);
  return findings.length > 0 ? 1 : 0;
}

async function everything(options: ExhaustiveOptions, args: readonly string[]): Promise<number> {
  const { pairs: paired, firsts, base, flow, processes, json } = options;
  if (paired) print(baseLine(base, 'exhaustive', args));
  const names = flow === undefined ? FLOWS.map(({ name }) => name) : [flowNamed(flow).name];
  const again = await knownRuns();
  const startedAt = performance.now();
  const most = paired ? (firsts ?? Number.MAX_SAFE_INTEGER) : 0;
  const reports = await exploreAll(names, { paired: most, base: base.from }, processes);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const sum = (of: 'points' | 'singles' | 'pairs' | 'operations' | 'overlaps'): number => reports.reduce((all, one) => all + one[of], 0);
  const broken = [...again, ...reports.flatMap((report) => report.broken)];
  const [points, singles, pairs, operations] = [sum('points'), sum('singles'), sum('pairs'), sum('operations')];
  for (const report of reports) print(lineOf(report));
  tellBroken(broken);
  print(
    `${reports.length} flows with ${points} await points in ${seconds} s: all ${singles} single faults${paired ? `, ${firsts === undefined ? 'all ' : ''}${pairs} pairs` : ''}`,
  );
  print(
    `${operations} store and queue operations; where nobody kills at the deadline, ${sum('overlaps')} overlaps and no double completion`,
  );
  print(`${broken.length} runs broke a rule`);
  const figures = { flows: reports.length, points, singles, pairs, operations, violations: broken.length, seconds };
  if (broken.length === 0 && paired && flow === undefined) recordFigures('exhaustive', figures, base);
  else if (broken.length > 0) recordFailure('exhaustive', base);
  if (json) print(JSON.stringify(figures));
  return broken.length > 0 ? 1 : 0;
}

/** Repeats the runs that once broke a rule. If a flow has changed, faults may no longer occur: that is reported, and is not a failure. */
async function knownRuns(): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const { flow, faults } of known.closed) {
    const findings = await findingsOf({ flow, faults });
    const rules = findings.filter(breaksRule);
    if (rules.length > 0) broken.push({ flow, faults, findings: rules });
    else if (findings.length > 0) print(`${flow} with ${faults}, once broken, has changed: ${findings.join('; ')}`);
  }
  print(`${known.closed.length} known runs: ${broken.length} broke a rule`);
  await reportOpen(known.open, async (run) => (await findingsOf(run)).some(breaksRule), print);
  return broken;
}

async function findingsOf({ flow, faults }: Pick<KnownRun, 'flow' | 'faults'>): Promise<readonly string[]> {
  return (await runFlow(flowNamed(flow), parseFaults(faults), await runFlow(flowNamed(flow), []))).findings;
}

function breaksRule(finding: string): boolean {
  return !finding.startsWith(NEVER_STRUCK);
}

function tellBroken(broken: readonly Broken[]): void {
  for (const { flow, faults, findings } of broken.slice(0, SHOWN)) {
    for (const finding of findings.slice(0, 3)) print(`VIOLATION ${finding}`);
    print(`  npm run exhaustive -- --flow ${flow} --faults ${faults}`);
  }
  const kept = oneOfEach(broken, ({ flow, findings }) => `${flow} ${findings[0]?.split(':')[0]}`);
  const failures = kept.map(({ flow, faults, findings }) => ({ flow, faults, showed: shownBriefly(findings[0] ?? '') }));
  known.keep(failures, print);
}

function lineOf({ flow, points, singles, pairs, broken }: FlowReport): string {
  return `${flow}: ${points} points, ${singles} single faults, ${pairs} pairs${broken.length === 0 ? '' : `, ${broken.length} BROKEN`}`;
}
