/**
 * A process in which a mutant is switched on: `hunter.ts seeds <seed>…` runs the seeds, one by one, until its parent has seen enough, `hunter.ts wire …` the
 * same over a simulated wire, `hunter.ts batches …` over one with writes that travel together; `hunter.ts without <fault> <seed>` runs one seed without that
 * fault, `hunter.ts flow <name>` one flow. It sends its parent the rules that each broke.
 */
import { isMainThread } from 'node:worker_threads';
import { FAULT_NAMES } from '../simulation/faults/fault-plan.ts';
import { runSeed } from '../simulation/run-seed.ts';
import { flowOf } from './flows.ts';

/** The rules that one run broke. `seed` is absent for a flow. */
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

async function findWithout(fault: string | undefined, seed: number): Promise<void> {
  const faults = FAULT_NAMES.filter((name) => name !== fault);
  return find(async () => (await runSeed(seed, { cut: { faults } })).violations, seed);
}

async function hunt([what, ...rest]: readonly string[]): Promise<void> {
  if (what === 'flow') return find(flowOf(rest.join(' ')));
  if (what === 'without') return findWithout(rest[0], Number(rest[1]));
  const world = what === 'batches' ? { wire: true, batches: true } : { wire: what === 'wire' };
  for (const seed of rest.map(Number)) await find(async () => (await runSeed(seed, world)).violations, seed);
}

if (isMainThread) {
  await hunt(process.argv.slice(2));
  process.disconnect();
}
