/** `npm run mutants`: runs the product as it is, which must be clean, and then each mutant until it is caught; a survivor makes exit code 1. */
import { availableParallelism } from 'node:os';
import { mapLimited } from '../../../shared/core/map-limited.ts';
import { keepSeeds } from '../simulation/known-seeds.ts';
import { type Base, baseLine, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, runCommand, TEXT, wholeNumber } from '../../support/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { MUTANTS, mutantNamed } from './all-mutants.ts';
import { FLOWS } from './flows.ts';
import { GENERATED_USAGE, judgeGenerated } from './generated/judge-generated.ts';
import { fileOf, type Mutant } from './mutant.ts';
import { findInUnmutated, hunt, type Quarry } from './hunt.ts';
import { lineOf } from './table.ts';

const CLEAN_SEEDS = 40;
const USAGE = `Usage: npm run mutants -- [options]

Runs ${CLEAN_SEEDS} seeds of the simulation and every flow without any bug, which must break no rule, and then with each deliberate bug
until it is caught: its known seed first, then fresh ones. Exit code 1 when one survives.

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
  const dirty = await unmutated(flows ? [] : seedsWithout(base, chosen), lanes);
  for (const line of dirty) print(line);
  const limits = {
    from: base.from,
    seeds: wholeNumber('seeds', seeds),
    catches: wholeNumber('catches', catches),
    sample: wholeNumber('sample', sample),
  };
  const quarries = await mapLimited(chosen, lanes, async (mutant) => {
    const quarry = await hunt(mutant, limits);
    print(lineOf(quarry));
    return quarry;
  });
  const survivors = report(quarries, Math.round((performance.now() - startedAt) / 1000), json);
  if (dirty.length > 0 || survivors > 0) return 1;
  const figures = { mutants: quarries.length, caught: quarries.length, survivors };
  if (names === undefined && !flows) recordFigures('mutants', figures, base);
  return 0;
}

/** The seeds that the product as it is must pass: fresh ones, and those of the hints. */
function seedsWithout({ from }: Base, mutants: readonly Mutant[]): readonly (readonly string[])[] {
  const half = CLEAN_SEEDS / 2;
  const hints = new Set(mutants.flatMap(({ seed }) => seed ?? []));
  return [
    ['seeds', String(from), String(half)],
    ['seeds', String(from + half), String(half)],
    ...[...hints].map((seed) => ['seeds', String(seed), '1']),
  ];
}

/** Runs the product as it is with these seeds and through every flow: where a rule breaks, a mutant proves nothing. */
async function unmutated(seeds: readonly (readonly string[])[], processes: number): Promise<readonly string[]> {
  const runs = [...seeds, ...Object.keys(FLOWS).map((name) => ['flow', name])];
  const findings = (await mapLimited(runs, processes, findInUnmutated)).flat();
  const broken = findings.flatMap(({ seed, violations }) => (seed === undefined ? [] : violations.map((one) => ({ ...one, seed }))));
  keepSeeds(broken, print);
  return findings.flatMap(({ seed, violations }) =>
    violations.map(
      ({ rule, what }) => `VIOLATION without any mutant, ${seed === undefined ? 'in a flow' : `seed ${seed}`}: ${rule}: ${what}`,
    ),
  );
}

/** How many survived. */
function report(quarries: readonly Quarry[], seconds: number, json: boolean): number {
  const survivors = quarries.filter(({ caught }) => !caught);
  for (const { mutant } of survivors) print(`SURVIVOR ${mutant.name}: ${mutant.why}\n  npm run mutants -- --mutant ${mutant.name}`);
  const figures = { mutants: quarries.length, caught: quarries.length - survivors.length, survivors: survivors.length };
  print(`${figures.mutants} mutants, ${figures.caught} caught, ${survivors.length} survived, ${seconds} s`);
  if (json) print(JSON.stringify(figures));
  return survivors.length;
}
