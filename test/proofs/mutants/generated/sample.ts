import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Base } from '../../../support/base-seed.ts';
import { knownFailures, type KnownFailure } from '../../../support/known-failures.ts';
import { coverage } from './coverage.ts';
import { fastTestFiles } from './fast-tests.ts';
import { judgeInProcesses } from './judge-mutants.ts';
import type { GeneratedMutant } from './mutants.ts';
import { noticing } from './noticing.ts';
import type { Score } from './score.ts';

/** From one source no more are drawn: each source costs the tests that notice its mutants. */
const MOST_OF_A_SOURCE = 8;

/** A mutant that a sample found unnoticed. */
interface Survivor extends KnownFailure {
  readonly mutant: string;
}

const survivors = knownFailures<Survivor>(import.meta.dirname);

/** Mutants that a sample found unnoticed and that a test notices now: every sample judges them again. */
export const earlierSurvivors = survivors.closed;

/** How a sample is judged. */
export interface Sampling {
  readonly processes: number;
  /** How long mutants are begun, once it is known which tests reach them. */
  readonly seconds: number;
  readonly score: Score;
  readonly print: (line: string) => void;
}

/** The sample of a base: this many mutants, a few of each source; those that earlier samples found unnoticed come first. */
export function sampleOf(mutants: readonly GeneratedMutant[], { from }: Base, count: number): readonly GeneratedMutant[] {
  const entropy = seededEntropy(from);
  const drawn = mutants.map((mutant) => ({ mutant, at: entropy.random() })).toSorted((a, b) => a.at - b.at);
  const bySource = Map.groupBy(drawn, ({ mutant }) => mutant.file);
  const fresh = [...bySource.values()].flatMap((of) => of.slice(0, MOST_OF_A_SOURCE)).map(({ mutant }) => mutant);
  const known = earlierSurvivors.flatMap(({ mutant }) => mutants.find(({ id }) => id === mutant) ?? []);
  const open = new Set(survivors.open.map(({ mutant }) => mutant));
  return [...new Set([...known, ...fresh.filter(({ id }) => !open.has(id)).slice(0, count)])];
}

/** Judges mutants by the tests that noticed their neighbours, and those that none of them notices by all fast tests. */
export async function judgeSample(drawn: readonly GeneratedMutant[], { processes, seconds, score, print }: Sampling): Promise<void> {
  const noted = noticing();
  const tests = drawn.flatMap(({ file }) => noted[file] ?? []);
  const known = fastTestFiles().filter((file) => tests.includes(file));
  const left: GeneratedMutant[] = [];
  const covered = await coverage(known, { processes, say: print });
  await judgeInProcesses(drawn, processes, {
    covered,
    until: Date.now() + seconds * 1_000,
    giveUp: score.giveUp,
    see: (mutant, verdict) => void (verdict.killed ? score.see(mutant, verdict) : left.push(mutant)),
  });
  if (left.length === 0) return;
  print(`${left.length} that the tests in noticing.json do not notice are judged by all fast tests`);
  await judgeInProcesses(left, processes, {
    covered: await coverage(fastTestFiles(), { processes, say: print }),
    giveUp: score.giveUp,
    see: (mutant, verdict) => {
      score.see(mutant, verdict, true);
      if (!verdict.killed) survivors.keep([{ mutant: mutant.id, showed: `not noticed by ${verdict.tests} tests` }], print);
    },
  });
}
