import { join } from 'node:path';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { boundFork } from '../../support/bound-fork.ts';
import { addTotals, noTotals, type Totals } from './totals.ts';

const SHARE = join(import.meta.dirname, 'run-share.ts');

/** A new process needs one or two seconds more than an old one; of larger shares the last is longer waited for. */
const SEEDS_A_PROCESS = 200;

/** Runs the seeds in so many processes at a time. `nodeOptions` go to each of them. */
export async function runSeeds(seeds: readonly number[], workers: number, nodeOptions: readonly string[] = []): Promise<Totals> {
  const totals = noTotals();
  const processes = Math.max(workers, Math.ceil(seeds.length / SEEDS_A_PROCESS));
  // Dealt out in turn: seeds side by side may take long for the same reason.
  const shares = Array.from({ length: processes }, (_, share) => seeds.filter((_seed, place) => place % processes === share));
  const filled = shares.filter((share) => share.length > 0);
  await mapLimited(filled, workers, async (share) => addTotals(totals, await runShare(share.map(String), nodeOptions)));
  totals.violations.sort((a, b) => a.seed - b.seed);
  return totals;
}

/** `count` seeds from the first one on. */
export const seedsFrom = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, place) => first + place);

function runShare(args: readonly string[], nodeOptions: readonly string[]): Promise<Totals> {
  return new Promise((resolve, reject) => {
    const child = boundFork(SHARE, args, { execArgv: [...process.execArgv, ...nodeOptions] });
    let totals: Totals | undefined;
    child.on('message', (message) => (totals = message as Totals));
    child.on('error', reject);
    child.on('exit', (code) =>
      totals === undefined ? reject(new Error(`A simulation process ended with ${code} and no result.`)) : resolve(totals),
    );
  });
}
