import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { boundFork } from '../../support/bound-fork.ts';
import { wideFaultsOf } from '../simulation/faults/wide-faults.ts';
import { fileOf, type Mutant } from './mutant.ts';
import type { Finding } from './hunter.ts';
import { mutantOptions } from './node-options.ts';

/** How long a mutant is hunted. */
export interface HuntLimits {
  /** The first seed to try after the hint. */
  readonly from: number;
  /** Most seeds to try before it counts as a survivor. */
  readonly seeds: number;
  /** Catches after which the hunt ends. */
  readonly catches: number;
  /** Seeds that are always run, if they do not take too long, to measure how often the mutant is caught. */
  readonly sample: number;
}

/** The result of a hunt. */
export interface Quarry {
  readonly mutant: Mutant;
  /** Seeds run from the first one on, without the hint, and how many of those caught it. */
  readonly seeds: number;
  readonly catches: number;
  /** The first seed that caught it; absent for a flow and for a survivor. */
  readonly caughtIn?: number;
  readonly caught: boolean;
  /** Why it could not be hunted, with the repair: its text does not stand exactly once, or its process ended early. */
  readonly problem?: string;
  /** Rules that were broken, by how often: those that the mutant must break and others. */
  readonly rules: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const HUNTER = join(import.meta.dirname, 'hunter.ts');
/** Far longer than any run; a mutant that makes a world spin forever is reported, not waited for. */
const SILENCE_MS = 120_000;
/** The time limit for a caught mutant: some bugs keep a world busy until its timeout. */
const SAMPLE_MS = 2_000;

/**
 * Runs a mutant in a process of its own, the seed of its hint first, until it is caught often enough or survives. One that cannot be
 * hunted has a `problem` and is not caught, so that it does not end the hunt of the others.
 */
export async function hunt(mutant: Mutant, limits: HuntLimits): Promise<Quarry> {
  const startedAt = performance.now();
  try {
    fileOf(mutant);
    return await huntApplied(mutant, limits);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { mutant, seeds: 0, catches: 0, caught: false, problem, rules: {}, seconds: (performance.now() - startedAt) / 1000 };
  }
}

/** Throws Error when the process ends without having run what it should. */
async function huntApplied(mutant: Mutant, limits: HuntLimits): Promise<Quarry> {
  const startedAt = performance.now();
  const seen = { seeds: 0, catches: 0, caught: false, rules: new Map<string, number>(), caughtIn: undefined as number | undefined };
  const fresh = freshSeeds(mutant, limits);
  const seeds = mutant.seed === undefined ? fresh : [mutant.seed, ...fresh];
  const args = mutant.flow === undefined ? [worldOf(mutant), ...seeds.map(String)] : ['flow', mutant.flow];
  let hinted = mutant.seed !== undefined;
  await listen(mutantOptions(mutant.name), args, ({ seed, violations }) => {
    const broken = [...new Set(violations.map(({ rule }) => rule))];
    const caught = broken.some((rule) => (mutant.rules as readonly string[]).includes(rule));
    for (const rule of broken) seen.rules.set(rule, (seen.rules.get(rule) ?? 0) + 1);
    if (caught) seen.caughtIn ??= seed;
    seen.caught ||= caught;
    if (!hinted) seen.seeds++;
    if (!hinted && caught) seen.catches++;
    hinted = false;
    const sampled = seen.seeds >= limits.sample || performance.now() - startedAt > SAMPLE_MS;
    return seen.caught && sampled && (seen.catches >= limits.catches || limits.catches <= 1);
  });
  const { caughtIn, rules, ...counts } = seen;
  return {
    mutant,
    ...counts,
    ...(caughtIn === undefined ? {} : { caughtIn }),
    rules: Object.fromEntries(rules),
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** As many seeds as the limits say, from the first one on; of a mutant that one fault shows, only seeds whose world has that fault. */
function freshSeeds({ onlyBy }: Mutant, { from, seeds }: HuntLimits): readonly number[] {
  const fresh: number[] = [];
  for (let seed = from; fresh.length < seeds; seed++) if (onlyBy === undefined || wideFaultsOf(seed).on.includes(onlyBy)) fresh.push(seed);
  return fresh;
}

/** The world that shows a mutant, as the hunter calls it. */
export function worldOf({ wire }: Mutant): 'seeds' | 'wire' | 'batches' {
  if (wire === 'batches') return 'batches';
  return wire === true ? 'wire' : 'seeds';
}

/** The rules that the same seeds and flows break without a mutant: must be none, or the hunt is meaningless. */
export async function findInUnmutated(args: readonly string[]): Promise<readonly Finding[]> {
  return findings([], args);
}

/** What a mutant breaks in the world of its hint when the one fault that shows it does not happen: must be nothing. */
export async function findWithoutFault({ name, seed, onlyBy }: Mutant): Promise<readonly Finding[]> {
  return findings(mutantOptions(name), ['without', String(onlyBy), String(seed)]);
}

async function findings(nodeOptions: readonly string[], args: readonly string[]): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  await listen(nodeOptions, args, (finding) => {
    found.push(finding);
    return false;
  });
  return found;
}

function listen(nodeOptions: readonly string[], args: readonly string[], see: (finding: Finding) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = boundFork(HUNTER, args, { execArgv: [...process.execArgv, ...nodeOptions] });
    let seen = 0;
    let done = false;
    const silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    child.on('message', (message) => {
      seen++;
      silence.refresh();
      if (done || !see(message as Finding)) return;
      done = true;
      child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(silence);
      if (done || (code === 0 && seen > 0)) resolve();
      else
        reject(new Error(`${args.slice(0, 3).join(' ')} with ${nodeOptions.join(' ')} ended with ${code ?? signal} after ${seen} runs.`));
    });
  });
}
