import { join } from 'node:path';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { boundFork } from '../../support/bound-fork.ts';
import { addTotals, noTotals, type Totals } from './totals.ts';

const SHARE = join(import.meta.dirname, 'seed-range.ts');

/** A new process needs one or two seconds more than an old one; of larger shares the last is longer waited for. */
const SEEDS_A_PROCESS = 200;

/** Runs seeds `from` to `from + seeds - 1` in so many processes at a time. `nodeOptions` go to each of them. */
export async function runSeeds(
  range: { readonly from: number; readonly seeds: number },
  workers: number,
  nodeOptions: readonly string[] = [],
): Promise<Totals> {
  const totals = noTotals();
  const size = Math.min(SEEDS_A_PROCESS, Math.ceil(range.seeds / workers));
  const shares = Array.from({ length: Math.ceil(range.seeds / size) }, (_, share) => ({
    first: range.from + share * size,
    count: Math.min(size, range.seeds - share * size),
  }));
  await mapLimited(shares, workers, async ({ first, count }) => {
    addTotals(totals, await runShare([first, count].map(String), nodeOptions));
  });
  totals.violations.sort((a, b) => a.seed - b.seed);
  return totals;
}

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
