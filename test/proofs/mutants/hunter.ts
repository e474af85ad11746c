/**
 * A process in which a mutant is switched on: `hunter.ts seeds <first> <count> [<hint>]` runs the hint and then the seeds, one by
 * one, until its parent has seen enough, `hunter.ts wire …` the same over a simulated wire; `hunter.ts flow <name>` runs one flow. It tells its parent what each broke.
 */
import { isMainThread } from 'node:worker_threads';
import { runSeed } from '../simulation/run-seed.ts';
import { flowOf } from './flows.ts';

/** What one run broke. `seed` is absent for a flow. */
export interface Finding {
  readonly seed?: number;
  readonly violations: readonly { readonly rule: string; readonly what: string }[];
}

async function find(work: () => Promise<Finding['violations']>, seed?: number): Promise<void> {
  const violations = await work().catch((error: unknown) => [
    // A world that breaks off is a finding too.
    { rule: 'world-broke', what: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  ]);
  const told = violations.map(({ rule, what }) => ({ rule, what }));
  const finding: Finding = { violations: told, ...(seed === undefined ? {} : { seed }) };
  await new Promise((resolve) => process.send?.(finding, resolve));
}

async function hunt([what, ...rest]: readonly string[]): Promise<void> {
  if (what === 'flow') return find(flowOf(rest.join(' ')));
  const [first = 1, count = 1, hint] = rest.map(Number);
  const seeds = Array.from({ length: count }, (_, index) => first + index);
  for (const seed of hint === undefined ? seeds : [hint, ...seeds])
    await find(async () => (await runSeed(seed, { wire: what === 'wire' })).violations, seed);
}

if (isMainThread) {
  await hunt(process.argv.slice(2));
  process.disconnect();
}
