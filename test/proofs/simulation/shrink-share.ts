/** A process that shrinks a seed: `shrink-share.ts <seed> <rule> <most runs>`; sends its parent what is left, if the seed breaks the rule. */
import { WORLD_BROKE } from './totals.ts';
import { type Judged, shrinkSeed } from './shrink-seed.ts';
import { runSeed } from './run-seed.ts';

const [seed = '', rule = '', most = ''] = process.argv.slice(2);

const shrunk = await shrinkSeed(
  (cut) =>
    runSeed(Number(seed), { cut }).catch((): Judged => ({
      violations: [{ rule: WORLD_BROKE }],
      kinds: [],
      struck: [],
      actors: new Set(),
    })),
  rule,
  Number(most),
);
if (shrunk !== undefined) process.send?.(shrunk);
process.disconnect?.();
