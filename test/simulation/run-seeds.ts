import { join } from 'node:path';
import { boundFork } from '../support/bound-fork.ts';
import { addTotals, noTotals, type Totals } from './totals.ts';

const SHARE = join(import.meta.dirname, 'seed-range.ts');

/** Runs seeds `from` to `from + seeds - 1` in so many processes at a time. `nodeOptions` go to each of them. */
export async function runSeeds(
  range: { readonly from: number; readonly seeds: number },
  workers: number,
  nodeOptions: readonly string[] = [],
): Promise<Totals> {
  const totals = noTotals();
  const shares = Array.from({ length: Math.min(workers, range.seeds) }, (_, share) => ({
    first: range.from + share,
    count: Math.ceil((range.seeds - share) / workers),
  }));
  const results = await Promise.all(shares.map(({ first, count }) => runShare([first, count, workers].map(String), nodeOptions)));
  for (const result of results) addTotals(totals, result);
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
