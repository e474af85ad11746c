/**
 * `npm run exhaustive -- [--pairs] [--flow name]`: each fault at each await point of each flow, with --pairs also two at a time; exit
 * code 1 when a rule was broken. `--firsts N`: pairs begin with at most N faults of each flow, spread evenly, instead of with all. `--flow name --faults "3:crash-after,7:lost-reply"` repeats one run with its trace. `--json` ends with
 * one line of figures. `--processes N` shares the runs out.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { recordFigures } from '../support/figures.ts';
import { type Chosen, POINT_FAULTS, type PointFault } from './chosen-faults.ts';
import type { FlowReport } from './explore.ts';
import { exploreAll } from './explore-all.ts';
import { FLOWS, flowNamed } from './flows/flows.ts';
import { runFlow } from './run-flow.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'boolean', default: false },
    firsts: { type: 'string' },
    flow: { type: 'string' },
    faults: { type: 'string' },
    processes: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    json: { type: 'boolean', default: false },
  },
});
const SHOWN = 20;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.faults === undefined) await everything();
else await one(values.flow ?? refuse('--faults needs --flow.'), values.faults);

async function one(name: string, faults: string): Promise<void> {
  const flow = flowNamed(name);
  const { findings } = await runFlow(flow, parseFaults(faults), await runFlow(flow, []), print);
  for (const finding of findings) print(`VIOLATION ${finding}`);
  print(`${name} with ${faults || 'no faults'}: ${findings.length} violations`);
  if (findings.length > 0) process.exitCode = 1;
}

async function everything(): Promise<void> {
  const names = values.flow === undefined ? FLOWS.map(({ name }) => name) : [flowNamed(values.flow).name];
  const startedAt = performance.now();
  const firsts = values.firsts === undefined ? undefined : wholeNumber('firsts', values.firsts);
  const paired = values.pairs ? (firsts ?? Number.MAX_SAFE_INTEGER) : 0;
  const reports = await exploreAll(names, paired, Number(values.processes));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  for (const report of reports) print(lineOf(report));
  const sum = (of: 'points' | 'singles' | 'pairs' | 'operations' | 'overlaps'): number => reports.reduce((all, one) => all + one[of], 0);
  const broken = reports.flatMap((report) => report.broken);
  for (const { flow, faults, findings } of broken.slice(0, SHOWN)) {
    for (const finding of findings.slice(0, 3)) print(`VIOLATION ${finding}`);
    print(`  npm run exhaustive -- --flow ${flow} --faults "${faults}"`);
  }
  const [points, singles, pairs] = [sum('points'), sum('singles'), sum('pairs')];
  print(
    `${reports.length} flows with ${points} await points in ${seconds} s: all ${singles} single faults${values.pairs ? `, ${firsts === undefined ? 'all ' : ''}${pairs} pairs` : ''}`,
  );
  print(
    `${sum('operations')} store and queue operations; where nobody kills at the deadline, ${sum('overlaps')} overlaps and no double completion`,
  );
  print(`${broken.length} runs broke a rule`);
  if (broken.length > 0) process.exitCode = 1;
  const figures = { flows: reports.length, points, singles, pairs, operations: sum('operations'), violations: broken.length, seconds };
  if (broken.length === 0 && values.pairs && values.flow === undefined) recordFigures('exhaustive', figures);
  if (values.json) print(JSON.stringify(figures));
}

function lineOf({ flow, points, singles, pairs, broken }: FlowReport): string {
  return `${flow}: ${points} points, ${singles} single faults, ${pairs} pairs${broken.length === 0 ? '' : `, ${broken.length} BROKEN`}`;
}

function wholeNumber(option: string, text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : refuse(`--${option} ${text} is not a whole number, 1 or more.`);
}

function parseFaults(text: string): readonly Chosen[] {
  return text.split(',').flatMap((part): Chosen[] => {
    if (part.trim() === '') return [];
    const [at, fault] = part.trim().split(':');
    const known = POINT_FAULTS.includes(fault as PointFault) && Number(at) > 0;
    return known
      ? [{ at: Number(at), fault: fault as PointFault }]
      : refuse(`${part} is no fault. Write point:fault, with one of ${POINT_FAULTS.join(', ')}.`);
  });
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}
