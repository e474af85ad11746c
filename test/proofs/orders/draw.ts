import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { Struck } from './faults.ts';
import { meet, SITUATIONS } from './meetings.ts';
import type { Situation } from './situation.ts';
import type { Possible } from './turns.ts';
import type { Verb } from './verbs/verb.ts';
import { VERBS } from './verbs/verbs.ts';

/** What one draw of a base comes to. */
export interface Draw {
  readonly verbs: readonly Verb[];
  readonly situation: Situation;
  /** What goes wrong in each walk besides the one without faults. */
  readonly pick: (possible: readonly Possible[]) => readonly (readonly Struck[])[];
}

/** Walks with a fault, of each drawn pair. */
const SINGLES = 3;
const TRIPLES = 0.1;
const DOUBLES = 0.3;

/** The draw of that number: a pair or, rarely, three verbs, a few single faults and sometimes two at once. */
export function drawOf(base: number, number: number): Draw {
  const entropy = seededEntropy(base * 8191 + number);
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
  const count = entropy.random() < TRIPLES ? 3 : 2;
  for (;;) {
    const situation = any(SITUATIONS);
    const verbs = Array.from({ length: count }, () => any(VERBS));
    if (verbs.every(({ reads }) => reads === true) || !meet(verbs, situation)) continue;
    const pick = (possible: readonly Possible[]): readonly (readonly Struck[])[] => {
      if (possible.length === 0) return [];
      const one = (): Struck => any(possible);
      const doubles = entropy.random() < DOUBLES ? [[one(), one()]] : [];
      return [...Array.from({ length: SINGLES }, () => [one()]), ...doubles];
    };
    return { verbs, situation, pick };
  }
}
