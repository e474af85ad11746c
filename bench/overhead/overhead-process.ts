import { measureBatched, measureOverhead } from './measure-overhead.ts';
import type { Said } from './bench-overhead.ts';

const [part, rounds, short] = process.argv.slice(2);
const say = (said: Said<unknown>): void => void process.send?.(said);
const measure = part === 'batched' ? measureBatched : measureOverhead;

say({
  kind: 'figures',
  figures: await measure({
    rounds: Number(rounds),
    short: short === 'short',
    scenarios: [],
    progress: (done, now) => say({ kind: 'progress', done, now }),
  }),
});
process.disconnect?.();
