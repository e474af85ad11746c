/** `npm run mutants`: runs the product as it is, which must be clean, and then each mutant until it is caught; a survivor makes exit code 1. */
import { availableParallelism } from 'node:os';
import { chunks } from '../../../shared/adapters/aws/backoff.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { keepSeeds } from '../simulation/known-seeds.ts';
import { baseLine, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, runCommand, TEXT, wholeNumber } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { MUTANTS, mutantNamed } from './all-mutants.ts';
import { FLOWS } from './flows.ts';
import { GENERATED_USAGE, judgeGenerated } from './generated/judge-generated.ts';
import { fileOf, type Mutant } from './mutant.ts';
import { findInUnmutated, hunt, type Quarry, worldOf } from './hunt.ts';
import { lineOf, survivorLines } from './table.ts';

const WORLDS = ['seeds', 'wire', 'batches'] as const;
/** A process keeps 1 to 2 MB of each run. */
const RUNS_A_PROCESS = 20;
const USAGE = `Usage: npm run mutants -- [options]

Runs every known seed and flow without any bug, which must break no rule, and then with each deliberate bug until it is caught: its
known seed first, then fresh ones, which must break no rule without it either. Exit code 1 when one survives.

  --mutant NAME  only this one; may be given several times
  ${FROM_USAGE}
  --flows        only the mutants that a flow catches, without seeds: nothing is drawn
  --seeds N      the most seeds for each (default 2000)
  --catches N    goes on until each was caught so often (default 1)
  --sample N     runs so many seeds in any case (default 6)
  --processes N  shares the mutants out (default 2)
  --list         names them
  --json         ends with one line of figures
  --generated    judges edits that nobody chose instead: see --generated --help
  --help         prints this
`;
const OPTIONS = {
  mutant: { type: 'string', multiple: true },
  ...FROM,
  flows: FLAG,
  seeds: TEXT,
  catches: TEXT,
  sample: TEXT,
  processes: TEXT,
  list: FLAG,
  json: FLAG,
} as const;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const generated = process.argv.includes('--generated');
await runCommand(generated ? GENERATED_USAGE : USAGE, generated ? judgeGenerated : huntMutants);

async function huntMutants(args: readonly string[]): Promise<number> {
  const values = readArguments(args, OPTIONS);
  const { mutant: names, flows = false, seeds = '2000', catches = '1', sample = '6', processes, json = false } = values;
  if (values.list === true) {
    for (const mutant of MUTANTS) print(`${mutant.name} (${mutant.symbol} in ${fileOf(mutant)}): ${mutant.why}`);
    return 0;
  }
  const startedAt = performance.now();
  const base = readBase(values.from);
  if (!flows) print(baseLine(base, 'mutants', args));
  const named = names === undefined ? MUTANTS : names.map(mutantNamed);
  const chosen = flows ? named.filter(({ flow }) => flow !== undefined) : named;
  const lanes = processes === undefined ? Math.min(2, availableParallelism()) : wholeNumber('processes', processes);
  const dirty = await unmutated(knownRuns(chosen), lanes);
  const limits = {
    from: base.from,
    seeds: wholeNumber('seeds', seeds),
    catches: wholeNumber('catches', catches),
    sample: wholeNumber('sample', sample, [0, Number.MAX_SAFE_INTEGER]),
  };
  const quarries = await mapLimited(chosen, lanes, async (mutant) => {
    const quarry = await hunt(mutant, limits);
    print(lineOf(quarry));
    const { caughtIn } = quarry;
    if (caughtIn !== undefined && mutant.seed !== undefined && caughtIn !== mutant.seed)
      print(`  its hint, seed ${mutant.seed}, no longer catches it: write seed ${caughtIn} into test/proofs/mutants/list`);
    return quarry;
  });
  dirty.push(...(await unmutated(freshRuns(quarries), lanes)));
  const survivors = report(quarries, Math.round((performance.now() - startedAt) / 1000), json);
  if (dirty.length > 0 || survivors > 0) return 1;
  const figures = { mutants: quarries.length, caught: quarries.length, survivors };
  if (names === undefined && !flows) recordFigures('mutants', figures, base);
  return 0;
}

/** The flows, and the seeds of the hints. */
function knownRuns(chosen: readonly Mutant[]): readonly (readonly string[])[] {
  const hints = (world: string): readonly number[] => chosen.flatMap((one) => (worldOf(one) === world ? (one.seed ?? []) : []));
  return [...WORLDS.flatMap((world) => runsOf(world, hints(world))), ...Object.keys(FLOWS).map((name) => ['flow', name])];
}

/** The fresh seeds that caught what its hint did not. */
function freshRuns(quarries: readonly Quarry[]): readonly (readonly string[])[] {
  const fresh = quarries.filter(({ mutant, caughtIn }) => mutant.flow === undefined && caughtIn !== mutant.seed);
  return WORLDS.flatMap((world) =>
    runsOf(
      world,
      fresh.flatMap(({ mutant, caughtIn }) => (worldOf(mutant) === world ? (caughtIn ?? []) : [])),
    ),
  );
}

function runsOf(world: string, seeds: readonly number[]): readonly (readonly string[])[] {
  return chunks([...new Set(seeds)].map(String), RUNS_A_PROCESS).map((some) => [world, ...some]);
}

/** The product as it is through the same flows and seeds, a line for each violation: a rule that breaks here proves nothing. */
async function unmutated(runs: readonly (readonly string[])[], processes: number): Promise<string[]> {
  const findings = (await mapLimited(runs, processes, findInUnmutated)).flat();
  const broken = findings.flatMap(({ seed, violations }) => (seed === undefined ? [] : violations.map((one) => ({ ...one, seed }))));
  keepSeeds(broken, print);
  const lines = findings.flatMap(({ seed, violations }) =>
    violations.map(
      ({ rule, what }) => `VIOLATION without any mutant, ${seed === undefined ? 'in a flow' : `seed ${seed}`}: ${rule}: ${what}`,
    ),
  );
  for (const line of lines) print(line);
  return lines;
}

/** How many survived. */
function report(quarries: readonly Quarry[], seconds: number, json: boolean): number {
  const survivors = quarries.filter(({ caught }) => !caught);
  for (const survivor of survivors) print(survivorLines(survivor));
  const figures = { mutants: quarries.length, caught: quarries.length - survivors.length, survivors: survivors.length };
  print(`${figures.mutants} mutants, ${figures.caught} caught, ${survivors.length} survived, ${seconds} s`);
  if (json) print(JSON.stringify(figures));
  return survivors.length;
}
