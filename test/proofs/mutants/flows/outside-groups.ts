import type { OutsideViolation } from '../../simulation/outside/outside-world.ts';
import { runOutside } from '../../simulation/outside/run-outside.ts';

const SEEDS = 16;

/** Workers of every kind share a few groups, in a few seeds of test/proofs/simulation/outside. */
export async function outsideGroups(): Promise<readonly OutsideViolation[]> {
  const violations: OutsideViolation[] = [];
  for (let seed = 1; seed <= SEEDS && violations.length === 0; seed++) violations.push(...(await runOutside(seed)).violations);
  return violations;
}
