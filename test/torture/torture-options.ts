import { parseArgs } from 'node:util';

/** What `npm run torture` was asked to do. */
export interface TortureOptions {
  /** How long the chaos lasts; draining comes after. */
  readonly seconds: number;
  /** Of the traffic and the chaos. What the machine makes of them differs from run to run. */
  readonly seed: number;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run torture -- [--seconds <5..3600>] [--seed <n>] [--json]

Runs jobs in real processes on this machine while it kills, freezes and times out what runs them; then drains, and
audits that nothing was lost, completed twice, or run beside its group. Exit code 1 when a promise was broken.
`;

/** Reads the arguments; undefined when they cannot be followed. `chance` is what a seed is drawn from. */
export function readTortureOptions(args: readonly string[], chance: () => number): TortureOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: { type: 'string' }, seed: { type: 'string' }, json: { type: 'boolean' } },
    });
    const seconds = Number(values.seconds ?? 60);
    const seed = Number(values.seed ?? Math.floor(chance() * 2 ** 31));
    const legal = seconds >= 5 && seconds <= 3600 && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32;
    return legal ? { seconds, seed, json: values.json === true } : undefined;
  } catch {
    return undefined;
  }
}
