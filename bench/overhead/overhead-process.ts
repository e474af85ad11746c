import { measureOverhead } from './measure-overhead.ts';
import type { Said } from './bench-overhead.ts';

const [rounds, short] = process.argv.slice(2);
const say = (said: Said): void => void process.send?.(said);

say({
  kind: 'figures',
  figures: await measureOverhead({
    rounds: Number(rounds),
    short: short === 'short',
    scenarios: [],
    progress: (done, now) => say({ kind: 'progress', done, now }),
  }),
});
process.disconnect?.();
