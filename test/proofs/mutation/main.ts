import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../shared/adapters/system.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { baseLine, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, runCommand, TEXT } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { changedSinceJudged, judgedFiles, noteJudged } from './judged.ts';
import { mutatedFiles } from './mutated-files.ts';
import { type Explanation, judgeMutants, type Mutant, type MutationResult, readReport } from './mutation-report.ts';
import { shown } from './places.ts';

const USAGE = `Usage: npm run mutation -- [options]

Changes shared/job and the models of the features in every way that Stryker knows, one at a time, and sees whether a unit test
notices: without --all or --files in a share of the files, which is drawn. Exit code 1 for a survivor that test/proofs/mutation/survivors.json does not explain, and for a mutant
that could not be judged.

  --all          all files, not a share
  --judged       only those of test/proofs/mutation/judged.json, each survivor of which was killed or explained once: what a change has to
                 keep, whatever files are added beside them. A file without survivors left is noted there as it is now
  --changed      those of judged.json that have changed since they were judged
  --files LIST   these, with commas between them
  ${FROM_USAGE}
  --json         prints the survivors, to be explained or killed
  --help         prints this
`;
const OPTIONS = { all: FLAG, judged: FLAG, changed: FLAG, json: FLAG, ...FROM, files: TEXT } as const;
const ROOT = join(import.meta.dirname, '..', '..', '..');
const REPORT = join(ROOT, '.nightcrew', 'mutation.json');
const SAMPLE_OF_LINES = 0.04;

const linesOf = (file: string): number => readFileSync(join(ROOT, file), 'utf8').split('\n').length;

/** Files that hold about a twenty-fifth of the lines, drawn from the seed. */
function sample(files: readonly string[], seed: number): readonly string[] {
  const entropy = seededEntropy(seed);
  const drawn = files.map((file) => ({ file, at: entropy.random() })).toSorted((a, b) => a.at - b.at);
  const wanted = SAMPLE_OF_LINES * files.reduce((sum, file) => sum + linesOf(file), 0);
  let lines = 0;
  return drawn.filter(({ file }) => lines < wanted && (lines += linesOf(file)) > 0).map(({ file }) => file);
}

function runStryker(files: readonly string[]): readonly Mutant[] {
  rmSync(REPORT, { force: true });
  const args = [join(ROOT, 'scripts', 'run.mjs'), 'stryker', 'run', 'test/proofs/mutation/stryker.config.mjs', '--mutate', files.join(',')];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`Stryker ended with exit code ${status}; what it said stands above.`);
  return readReport(readFileSync(REPORT, 'utf8'));
}

function say(result: MutationResult, seconds: number): void {
  const { mutants, killed, timeouts, survived, explained, score } = result;
  process.stdout.write(
    `mutation: ${mutants} mutants, ${killed} killed, ${timeouts} timed out, ${survived} survived, ${explained} of them explained\n`,
  );
  process.stdout.write(`score ${score} %, ${seconds} s\n`);
  for (const one of result.unexplained) process.stdout.write(`\nnot explained: ${one.mutator} in ${edited(one)}`);
  for (const one of result.unjudged) process.stdout.write(`\nnot judged, the process of the tests gave up: ${edited(one)}`);
  for (const one of result.outdated) process.stdout.write(`\nexplained, but noticed by a test or gone: ${edited(one)}`);
}

const edited = ({ file, original, replacement, ...place }: Omit<Mutant, 'status'>): string =>
  `${file}\n  in  ${shown(place)}\n  -   ${original}\n  +   ${replacement}\n`;

interface Choice {
  readonly files?: string;
  readonly all?: boolean;
  readonly judged?: boolean;
  readonly changed?: boolean;
}

function chosen({ files, all, judged, changed }: Choice, every: readonly string[], seed: number): readonly string[] {
  if (files !== undefined) return files.split(',');
  if (changed === true) return changedSinceJudged();
  const these = judged === true ? judgedFiles() : every;
  return all === true ? these : sample(these, seed);
}

function main(args: readonly string[]): number {
  const values = readArguments(args, OPTIONS);
  const startedAt = systemClock.now();
  const every = mutatedFiles();
  const base = readBase(values.from);
  const files = chosen(values, every, base.from);
  process.stdout.write(`${baseLine(base, 'mutation', args)}\nmutation: ${files.length} of ${every.length} files\n`);
  if (files.length === 0) return 0;
  const explanations = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8')) as readonly Explanation[];
  const result = judgeMutants(runStryker(files), explanations);
  const seconds = Math.round((systemClock.now() - startedAt) / 1000);
  if (values.json === true) process.stdout.write(`${JSON.stringify(result.unexplained, undefined, 2)}\n`);
  else say(result, seconds);
  if (result.mutants === 0 || result.unexplained.length > 0 || result.unjudged.length > 0) return 1;
  noteJudged(files);
  if (values.files !== undefined || values.changed === true) return 0;
  const { mutants, killed, timeouts, survived, explained, score } = result;
  recordFigures('mutation-core', {
    mutants,
    killed: killed + timeouts,
    survived,
    explained,
    score,
    files: files.length,
    filesInAll: every.length,
    seconds,
  });
  return 0;
}

await runCommand(USAGE, main);
