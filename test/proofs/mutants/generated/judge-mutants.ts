import { mapLimited } from '../../../../shared/job/map-limited.ts';
import { runJudge } from './judge/judge-process.ts';
import type { Covered, MutantOrder, Verdict } from './judge/orders.ts';
import { fileOf } from './coverage.ts';
import { fileNumber, type GeneratedMutant } from './mutants.ts';

/** The time limit for all tests of a mutant, fastest first: if they did not notice it, later ones seldom do. */
const MOST_MS = 15_000;
const SLOW_MS = 2_000;
/** How often a process that a mutant has spoilt is replaced, without the failing test, before the mutant counts as unjudged. */
const MOST_TRIES = 5;

/** Verdicts as they come. */
export interface Judging {
  readonly covered: readonly Covered[];
  readonly until?: number;
  readonly see: (mutant: GeneratedMutant, verdict: Omit<Verdict, 'number'>) => void;
  /** A mutant cannot be judged: after it, this test fails without it as well. */
  readonly giveUp: (mutant: GeneratedMutant, test: string) => void;
}

/** Distributes mutants over this many processes, all of a source to the same one: each loads the tests that it needs. */
export async function judgeInProcesses(mutants: readonly GeneratedMutant[], processes: number, judging: Judging): Promise<void> {
  const shares = Array.from({ length: processes }, (): GeneratedMutant[] => []);
  for (const of of Map.groupBy(mutants, ({ file }) => file).values()) {
    shares.reduce((least, share) => (share.length < least.length ? share : least)).push(...of);
  }
  await mapLimited(shares, processes, (share) => judgeMutants(share, judging));
}

/** Judges mutants one after the other, in processes that are replaced when a mutant spoils them. */
async function judgeMutants(mutants: readonly GeneratedMutant[], { covered, until, see, giveUp }: Judging): Promise<void> {
  const testsOf = testsReaching(covered);
  const orders = mutants.map((mutant): MutantOrder => ({ number: mutant.number, tests: testsOf(mutant) }));
  const byNumber = new Map(mutants.map((mutant) => [mutant.number, mutant]));
  const told = (number: number, verdict: Omit<Verdict, 'number'>): void => {
    const mutant = byNumber.get(number);
    if (mutant !== undefined && done.add(number)) see(mutant, verdict);
  };
  const done = new Set<number>();
  const spoiling = new Map<number, readonly string[]>();
  const spoiltBy = (number: number): readonly string[] => spoiling.get(number) ?? [];
  for (const { number, tests } of orders) if (tests.length === 0) told(number, { killed: false, tests: 0 });
  const left = (): readonly MutantOrder[] =>
    orders
      .filter(({ number }) => !done.has(number) && spoiltBy(number).length < MOST_TRIES)
      .map(({ number, tests }) => ({ number, tests: tests.filter((test) => !spoiltBy(number).includes(test)) }));
  const inTime = (): boolean => until === undefined || Date.now() < until;
  for (let next = left(); next.length > 0 && inTime(); next = left()) {
    const [first] = next;
    const atLoad = first !== undefined && byNumber.get(first.number)?.atLoad === true ? first.number : undefined;
    const chosen = atLoad === undefined ? next.filter(({ number }) => byNumber.get(number)?.atLoad !== true) : next.slice(0, 1);
    const files = [...new Set(chosen.flatMap(({ tests }) => tests.map(fileOf)))];
    let began: number | undefined;
    let alive: string | undefined;
    let spoilt: string | undefined;
    const limit = until === undefined ? {} : { until };
    const end = await runJudge({ work: 'judge', files, mutants: chosen, ...limit, ...(atLoad === undefined ? {} : { atLoad }) }, (line) => {
      if ('began' in line) began = line.began;
      if ('alive' in line) ({ alive } = line);
      if ('verdict' in line) told(line.verdict.number, line.verdict);
      if ('spoilt' in line) ({ spoilt } = line);
    });
    if (began === undefined && atLoad === undefined) {
      if (!inTime()) return;
      throw new Error(`The judge began with nothing: ${end.printed}`);
    }
    const last = began ?? atLoad;
    if (last === undefined || done.has(last)) continue;
    // Spins forever, or ended the process; loaded with a mutant it may not even load.
    if (spoilt === undefined) told(last, { killed: true, by: `${alive} ${end.silent ? 'spins' : 'ends the process'}`, tests: 0 });
    else {
      spoiling.set(last, [...spoiltBy(last), spoilt]);
      const mutant = byNumber.get(last);
      if (spoiltBy(last).length === MOST_TRIES && mutant !== undefined) giveUp(mutant, spoilt);
    }
  }
}

/**
 * The tests that reach a mutant, those first that are quick and reach little else. What is done once, when a file is loaded, no test
 * reaches: there it is the tests that reach anything of the file.
 */
function testsReaching(covered: readonly Covered[]): (mutant: GeneratedMutant) => readonly string[] {
  const reaching = new Map<number, Set<Covered>>();
  const add = (number: number, test: Covered): void => {
    const tests = reaching.get(number) ?? new Set();
    if (tests.size === 0) reaching.set(number, tests);
    tests.add(test);
  };
  for (const test of covered) {
    for (const number of test.seen ?? []) {
      add(number, test);
      add(-1 - fileNumber(number), test);
    }
  }
  const cost = ({ ms, seen = [] }: Covered): number => ms + seen.length / 50;
  return ({ number, atLoad }) => {
    let ms = 0;
    const sorted = [...(reaching.get(atLoad ? -1 - fileNumber(number) : number) ?? [])].toSorted((a, b) => cost(a) - cost(b));
    return sorted.filter((test, index) => index === 0 || (test.ms < SLOW_MS && (ms += test.ms) < MOST_MS)).map(({ test }) => test);
  };
}
