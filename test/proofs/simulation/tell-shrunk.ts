import { join } from 'node:path';
import { oneOfEach } from '../../support/known-failures.ts';
import { runShare } from '../../support/run-share.ts';
import { cutOptions } from './options.ts';
import type { Shrunk } from './shrink-seed.ts';
import type { SeedViolation } from './totals.ts';

/** The script that shrinks a seed. */
export const SHRINK_SHARE: string = join(import.meta.dirname, 'shrink-share.ts');
/** Each takes minutes, and the other rules often broke with the first. */
const MOST_SEEDS = 3;
/** A process keeps 1 to 2 MB of each run, and a run takes up to a few seconds. */
const MOST_RUNS = 120;
const MOST_STRIKES = 20;

interface Terms {
  readonly mutant: string | undefined;
  readonly print: (line: string) => void;
}

/** Shrinks the first seed that broke each rule, for some of them, and prints what each needs for that. Returns the options that repeat each. */
export async function tellShrunk(violations: readonly SeedViolation[], { mutant, print }: Terms): Promise<ReadonlyMap<number, string>> {
  const shrunk = new Map<number, string>();
  const more = mutant === undefined ? '' : ` --mutant ${mutant}`;
  for (const { seed, rule } of oneOfEach(violations, (one) => one.rule).slice(0, MOST_SEEDS)) {
    await runShare(SHRINK_SHARE, [String(seed), rule, String(MOST_RUNS)], (found) => {
      for (const line of shrunkText(seed, found as Shrunk)) print(line);
      const options = cutOptions((found as Shrunk).cut);
      shrunk.set(seed, options);
      print(`  npm run simulate -- --seed ${seed}${more} ${options}`);
    });
  }
  return shrunk;
}

function shrunkText(seed: number, { rule, cut, struck, before, runs }: Shrunk): readonly string[] {
  const { faults, actors } = cut;
  const last = struck.at(-1);
  return [
    `seed ${seed}, shrunk in ${runs} runs, breaks ${rule} with`,
    `  ${faults.length} of ${before.faults} kinds of faults: ${faults.join(', ')}`,
    `  ${actors.length} of ${before.actors} kinds of actors: ${actors.join(', ')}`,
    `  ${struck.length} of ${before.strikes} faults${last === undefined ? '' : `, the last one after ${minutesOf(last.at)}`}`,
    ...struck.slice(0, MOST_STRIKES).map(({ number, fault, at }) => `    ${minutesOf(at)} ${fault} (${number})`),
  ];
}

/** `12:07.250`, from the start of the world. */
function minutesOf(ms: number): string {
  return `${Math.floor(ms / 60_000)}:${((ms % 60_000) / 1_000).toFixed(3).padStart(6, '0')}`;
}
