import type { Entropy } from '../../../shared/ports/entropy.ts';
import { withPlainStacks } from '../simulation/world/plain-stacks.ts';
import type { Struck } from './faults.ts';
import type { Meeting } from './meetings.ts';
import type { Move } from './requests.ts';
import { runOrder } from './run-order.ts';
import { type Choose, walk } from './walk.ts';

/** What orders that were drawn came to, held against the walk of the same meeting. */
export interface Compared {
  readonly walked: number;
  /** Steps of drawn orders whose outcome no walked order has. */
  readonly missed: readonly (readonly string[])[];
}

const WEIGHTS: readonly number[] = [1, 1, 5, 25];
const CHANGES = 0.1;

/** Walks a meeting with a pruned walk, and draws orders of which nothing is pruned; undefined if the walk is too long for that. */
export async function compareWalk(
  { verbs, situation }: Meeting,
  faults: readonly Struck[],
  { entropy, times, most }: { readonly entropy: Entropy; readonly times: number; readonly most: number },
): Promise<Compared | undefined> {
  const outcomes = new Set<string>();
  const play = (choose: Choose) => withPlainStacks(() => runOrder({ verbs, situation, faults }, choose));
  const { capped, orders } = await walk(play, { most, see: ({ outcome }) => void outcomes.add(outcome) });
  if (capped) return undefined;
  const missed: (readonly string[])[] = [];
  for (let time = 0; time < times; time++) {
    const choose = drawn(entropy);
    const { outcome, steps } = await withPlainStacks(() => runOrder({ verbs, situation, faults, whole: true }, choose));
    if (!outcomes.has(outcome)) missed.push([...steps, outcome]);
  }
  return { walked: orders, missed };
}

/** Draws what happens next; for a while one actor is faster than another one, so that long delays come up too. */
function drawn(entropy: Entropy): (moves: readonly Move[]) => number {
  const weights = new Map<string, number>();
  const weightOf = (actor: string): number => {
    const weight = weights.get(actor) ?? WEIGHTS[Math.floor(entropy.random() * WEIGHTS.length)] ?? 1;
    weights.set(actor, weight);
    return weight;
  };
  return (moves) => {
    if (entropy.random() < CHANGES) weights.clear();
    let left = entropy.random() * moves.reduce((sum, { actor }) => sum + weightOf(actor), 0);
    const at = moves.findIndex(({ actor }) => (left -= weightOf(actor)) < 0);
    return at === -1 ? moves.length - 1 : at;
  };
}
