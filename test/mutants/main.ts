/**
 * `npm run mutants`: runs the product as it is, which must be clean, and then each mutant until it is caught; a survivor makes exit
 * code 1. `--mutant <name>` one of them; `--seeds N` the most seeds for each; `--catches N` goes on until it was caught so often;
 * `--sample N` runs so many seeds in any case; `--list` names them; `--json` ends with one line of figures.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mapLimited } from '../../shared/core/map-limited.ts';
import { recordFigures } from '../support/figures.ts';
import { MUTANTS, mutantNamed } from './all-mutants.ts';
import { FLOWS } from './flows.ts';
import { findInUnmutated, hunt, type Quarry } from './hunt.ts';
import { lineOf } from './table.ts';

const { values } = parseArgs({
  options: {
    mutant: { type: 'string', multiple: true },
    seeds: { type: 'string', default: '2000' },
    catches: { type: 'string', default: '1' },
    sample: { type: 'string', default: '6' },
    processes: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const CLEAN_SEEDS = 100;

if (values.list) for (const { name, file, why } of MUTANTS) print(`${name} (${file}): ${why}`);
else await huntAll();

async function huntAll(): Promise<void> {
  const startedAt = performance.now();
  const chosen = values.mutant === undefined ? MUTANTS : values.mutant.map(mutantNamed);
  const limits = { seeds: wholeNumber('seeds'), catches: wholeNumber('catches'), sample: wholeNumber('sample') };
  const processes = wholeNumber('processes');
  const dirty = await unmutated(
    chosen.flatMap(({ seed }) => (seed === undefined ? [] : [seed])),
    processes,
  );
  for (const line of dirty) print(line);
  const quarries = await mapLimited(chosen, processes, async (mutant) => {
    const quarry = await hunt(mutant, limits);
    print(lineOf(quarry));
    return quarry;
  });
  const survivors = quarries.filter(({ caught }) => !caught);
  for (const { mutant } of survivors) print(`SURVIVOR ${mutant.name}: ${mutant.why}\n  npm run mutants -- --mutant ${mutant.name}`);
  if (dirty.length > 0 || survivors.length > 0) process.exitCode = 1;
  report(quarries, survivors.length, Math.round((performance.now() - startedAt) / 1000));
}

/** The product as it is through the same flows, the seeds of the hints and the first ones: a rule that breaks here proves nothing. */
async function unmutated(hints: readonly number[], processes: number): Promise<readonly string[]> {
  const runs = [
    ['seeds', '1', String(CLEAN_SEEDS / 2)],
    ['seeds', String(CLEAN_SEEDS / 2 + 1), String(CLEAN_SEEDS / 2)],
    ...[...new Set(hints)].filter((seed) => seed > CLEAN_SEEDS).map((seed) => ['seeds', String(seed), '1']),
    ...Object.keys(FLOWS).map((name) => ['flow', name]),
  ];
  const findings = await mapLimited(runs, processes, findInUnmutated);
  return findings
    .flat()
    .flatMap(({ seed, violations }) =>
      violations.map(
        ({ rule, what }) => `VIOLATION without any mutant, ${seed === undefined ? 'in a flow' : `seed ${seed}`}: ${rule}: ${what}`,
      ),
    );
}

function report(quarries: readonly Quarry[], survivors: number, seconds: number): void {
  const figures = { mutants: quarries.length, caught: quarries.length - survivors, survivors };
  print(`${figures.mutants} mutants, ${figures.caught} caught, ${survivors} survived, ${seconds} s`);
  if (values.mutant === undefined && process.exitCode === undefined) recordFigures('mutants', { ...figures, seconds });
  if (values.json) print(JSON.stringify(figures));
}

function wholeNumber(option: 'seeds' | 'catches' | 'sample' | 'processes'): number {
  const number = Number(values[option]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  process.stderr.write(`--${option}: ${values[option]} is no whole number above 0.\n`);
  process.exit(2);
}
