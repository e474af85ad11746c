import type { Run } from '../../support/figures.ts';
import { MEANINGS, proofOf, STRENGTHS, type Strength } from './strength.ts';

/** Where in the pairs of a strength a run began: its base says so. */
export const placeOf = (base: number, of: number): number => base % of;

/** Which pairs of a strength recorded runs have walked, by their number. Runs over other pairs than there are now count for nothing. */
export function walkedPairs(runs: readonly Run[], strength: Strength, of: number): ReadonlySet<number> {
  const walked = new Set<number>();
  for (const { proof, base, figures } of runs) {
    if (proof !== proofOf(strength) || base === undefined || figures?.['of'] !== of) continue;
    const cut = new Set(String(figures['cut']).split(' '));
    for (let number = 0; number < Number(figures['reach']); number++)
      if (!cut.has(String(number))) walked.add((placeOf(base, of) + number) % of);
  }
  return walked;
}

/** The next base from which a run begins with a pair that was not walked yet; the same base when all were. */
export function freshBase(base: number, walked: ReadonlySet<number>, of: number): number {
  for (let next = base; next < base + of; next++) if (!walked.has(placeOf(next, of))) return next;
  return base;
}

/** How much of each strength was walked, for docs/reference/reliability.md. */
export function coverageRows(runs: readonly Run[]): readonly string[] {
  return STRENGTHS.map((strength) => {
    const own = runs.flatMap(({ proof, figures }) => (proof === proofOf(strength) && figures !== undefined ? [figures] : []));
    const newest = own.at(-1);
    if (newest === undefined) return `| ${strength} | ${MEANINGS[strength]} | none | | |`;
    const of = Number(newest['of']);
    const walked = walkedPairs(runs, strength, of).size;
    const sum = (name: string): string => own.reduce((total, figures) => total + Number(figures[name]), 0).toLocaleString('en-US');
    const whole = walked === of ? 'all ' : `${walked.toLocaleString('en-US')} of `;
    return `| ${strength} | ${MEANINGS[strength]} | ${whole}${of.toLocaleString('en-US')} | ${sum('orders')} in ${sum('walks')} walks | ${sum('capped')} |`;
  });
}
