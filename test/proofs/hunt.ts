/** `npm run hunt`: proofs with fresh bases, in turn, until the time is up or something is found. Exit code 1 when something was found. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemEnvironment } from '../../shared/adapters/system.ts';
import { FLAG, oneOf, readArguments, runCommand, UsageError, wholeNumber } from '../../scripts/command-line.ts';
import { changedSources, judgeChanged } from './hunt-changed.ts';
import { HUNTED, type Proof } from './proofs.ts';
import { passes } from './run-proof.ts';

const NAMES = HUNTED.map(({ name }) => name);
const USAGE = `Usage: npm run hunt -- [options]

Runs proofs with fresh bases, one after the other, until the time is up or something is found. Each prints its base. A finding is kept, in
this working copy, in the known-failures.json of its proof with "open": true: commit it. The gate reports what is open and does not fail
because of it; the fix removes the "open".

  --minutes N    no proof begins after so many minutes (default 30)
  --only NAME    only this proof; may be given several times: ${NAMES.join(', ')}
  --changed      judges the generated mutants and the mutations of the core of the files that differ from main instead
  --help         prints this
`;
const OPTIONS = { minutes: { type: 'string' }, only: { type: 'string', multiple: true }, changed: FLAG } as const;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, (args) => {
  const { minutes = '30', only, changed = false } = readArguments(args, OPTIONS);
  if (changed && only !== undefined) throw new UsageError('--changed and --only do not go together.');
  if (changed) return judgeChanged(changedSources()) ? 0 : 1;
  const names = only?.map((name) => oneOf('only', name, NAMES)) ?? NAMES;
  return hunt(names, wholeNumber('minutes', minutes));
});

/** Those that this machine can run, and those that it cannot. */
function split(proofs: readonly Proof[]): readonly [readonly Proof[], readonly Proof[]] {
  const folders = (systemEnvironment()['PATH'] ?? '').split(delimiter);
  const isThere = (program: string): boolean => folders.some((folder) => existsSync(join(folder, program)));
  const canRun = ({ needs = [] }: Proof): boolean => needs.every(isThere);
  return [proofs.filter(canRun), proofs.filter((proof) => !canRun(proof))];
}

/** Begins anywhere, so that short hunts do not always run the same proofs. */
function hunt(names: readonly string[], minutes: number): number {
  const [hunted, left] = split(HUNTED.filter(({ name }) => names.includes(name)));
  for (const { name, needs = [] } of left) print(`hunt: ${name} is left out; it needs ${needs.join(', ')}`);
  if (hunted.length === 0) return 1;
  const until = performance.now() + minutes * 60_000;
  const first = randomInt(hunted.length);
  let runs = 0;
  for (; runs === 0 || performance.now() < until; runs++) {
    const proof = hunted[(first + runs) % hunted.length];
    if (proof === undefined || passes(proof.name, proof.command)) continue;
    print(`hunt: ${proof.name} found something, in run ${runs + 1}. Its base and the command that repeats it are above.`);
    return 1;
  }
  print(`hunt: nothing found in ${runs} runs`);
  return 0;
}
