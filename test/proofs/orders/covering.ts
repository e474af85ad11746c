import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { type Meeting, pairText, SITUATIONS, situationsOf, verbPairs } from './meetings.ts';
import { type Situation, situationText } from './situation.ts';
import { STRENGTHS, type Strength } from './strength.ts';

/** A pair in a situation, and the least strength that needs it. */
export interface Covered extends Meeting {
  readonly strength: Strength;
}

/** What situations are walked for. */
type Parts = (situation: Situation) => readonly string[];

const EACH = once(({ state, feature, end, history }) => [state, feature, `ends ${end}`, `keeps ${history}`]);
const BOTH = once(({ state, feature }) => [`${state}/${feature}`]);
const ALL = once((situation) => [situationText(situation)]);
const KNOWN = new Map<Strength, readonly string[]>();
const OF_VERBS = new Map<string, Parts>();

/** There are few situations, and they are asked often. */
function once(parts: Parts): Parts {
  const known = new Map(SITUATIONS.map((situation) => [situation, parts(situation)]));
  return (situation) => known.get(situation) ?? parts(situation);
}

interface Pair {
  readonly verbs: Meeting['verbs'];
  /** Situations that are not walked yet. */
  left: readonly Situation[];
  /** What is covered by those that are. */
  readonly covered: Set<string>;
}

/** Every pair in every situation, the weakest strength first; within a strength each pair of verbs has its turn before one has another. */
export function* inOrder(): Generator<Covered> {
  const together = new Set<string>();
  let pairs = verbPairs().map((verbs): Pair => ({ verbs, left: situationsOf(verbs), covered: new Set() }));
  for (const strength of STRENGTHS) {
    const parts = strength === 2 ? EACH : strength === 3 ? BOTH : ALL;
    for (let going = pairs; going.length > 0;) {
      const next: Pair[] = [];
      for (const pair of going) {
        const situation = strength === 1 ? ofMost(pair.left, eachVerb(pair), together) : ofMost(pair.left, parts, pair.covered);
        if (situation === undefined) continue;
        take(pair, situation);
        if (strength > 1) next.push(pair);
        yield { verbs: pair.verbs, situation, strength };
      }
      going = next;
    }
    if (strength === 1) yield* whatVerbsMiss(pairs, together);
    pairs = pairs.filter(({ left }) => left.length > 0);
  }
}

/**
 * The pairs that a strength adds to the ones before, in an order that mixes them and is the same in every run, so that runs which walk parts
 * of it add up. Worked out once in a process.
 */
export function pairsOf(strength: Strength): readonly string[] {
  const known = KNOWN.get(strength) ?? mixedPairsOf(strength);
  KNOWN.set(strength, known);
  return known;
}

function mixedPairsOf(strength: Strength): readonly string[] {
  const pairs: string[] = [];
  for (const { verbs, situation, strength: needs } of inOrder()) {
    if (needs > strength) break;
    if (needs === strength) pairs.push(pairText(verbs, situation));
  }
  const entropy = seededEntropy(strength);
  const keyed = pairs.map((pair) => ({ pair, key: entropy.random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ pair }) => pair);
}

/** What is still missing of each verb in each state, with each feature and so on: pairs that were walked elsewhere meet there too. */
function* whatVerbsMiss(pairs: readonly Pair[], together: Set<string>): Generator<Covered> {
  for (const pair of pairs) {
    const parts: Parts = (situation) => pair.verbs.flatMap(({ name }) => ofVerb(name)(situation));
    for (;;) {
      const situation = ofMost(pair.left, parts, together);
      if (situation === undefined) break;
      take(pair, situation);
      yield { verbs: pair.verbs, situation, strength: 1 };
    }
  }
}

/** What a pair of verbs covers for all of them: each of the two in each state, feature and so on, and each state with each feature. */
const eachVerb =
  ({ verbs }: Pair): Parts =>
  (situation) => [verbs.map(({ name }) => name).join(' × '), ...verbs.flatMap(({ name }) => ofVerb(name)(situation)), ...BOTH(situation)];

/** A verb in the state, with the feature and so on. */
function ofVerb(name: string): Parts {
  const parts = OF_VERBS.get(name) ?? once((situation) => EACH(situation).map((part) => `${name} ${part}`));
  OF_VERBS.set(name, parts);
  return parts;
}

function take(pair: Pair, situation: Situation): void {
  pair.left = pair.left.filter((one) => one !== situation);
  for (const part of [...EACH(situation), ...BOTH(situation), ...ALL(situation)]) pair.covered.add(part);
}

/** The situation with the most parts that are not covered; undefined if there is none. */
function ofMost(situations: readonly Situation[], parts: Parts, covered: Set<string>): Situation | undefined {
  let best: { readonly situation: Situation; readonly fresh: number } | undefined;
  for (const situation of situations) {
    const all = parts(situation);
    const fresh = all.reduce((sum, part) => sum + (covered.has(part) ? 0 : 1), 0);
    if (fresh > (best?.fresh ?? 0)) best = { situation, fresh };
    if (fresh === all.length) break;
  }
  if (best === undefined) return undefined;
  for (const part of parts(best.situation)) covered.add(part);
  return best.situation;
}
