/** A process that runs a share of the seeds: `run-share.ts <seed>...`; sends its totals to its parent. */
import { runSeed } from './run-seed.ts';
import { addSeed, noTotals, WORLD_BROKE } from './totals.ts';

const totals = noTotals();
for (const seed of process.argv.slice(2).map(Number)) {
  try {
    addSeed(totals, await runSeed(seed));
  } catch (error) {
    // A world that breaks off is a finding too, and the others go on.
    totals.violations.push({ seed, rule: WORLD_BROKE, what: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
process.send?.(totals);
process.disconnect?.();
