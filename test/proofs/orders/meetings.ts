import { HISTORY_LEVELS, type HistoryLevel } from '../../../shared/job/history-level.ts';
import { ENDS, exists, FEATURES, type Feature, type Situation, situationText, STATES } from './situation.ts';
import type { Verb } from './verbs/verb.ts';
import { applies, VERBS } from './verbs/verbs.ts';

/** Verbs that can meet, and where. */
export interface Meeting {
  readonly verbs: readonly Verb[];
  readonly situation: Situation;
}

/** With these, the end of a job is one write or a transaction, so that every level of History writes its rows another way. */
const ALL_LEVELS: ReadonlySet<Feature> = new Set<Feature>(['plain', 'key', 'batch']);
const SOME_LEVELS: readonly HistoryLevel[] = ['outcome', 'durable'];
const RUNNERS: ReadonlySet<Verb['role']> = new Set<Verb['role']>(['executor', 'foreign', 'outside']);
const HANDLERS: ReadonlySet<Verb['role']> = new Set<Verb['role']>(['executor', 'outside']);
/** What lies elsewhere than other jobs, for whoever only looks. */
const LOOKED_AT: ReadonlySet<Feature> = new Set<Feature>(['plain', 'batch', 'schedule']);

/** Every situation there is. */
export const SITUATIONS: readonly Situation[] = STATES.flatMap((state) =>
  FEATURES.flatMap((feature) =>
    ENDS.flatMap((end) =>
      (ALL_LEVELS.has(feature) ? HISTORY_LEVELS : SOME_LEVELS)
        .map((history): Situation => ({ state, feature, end, history }))
        .filter(exists),
    ),
  ),
);

/** Every pair of verbs of which one at least changes something. */
export function verbPairs(): readonly Meeting['verbs'][] {
  return VERBS.flatMap((first, index) => VERBS.slice(index).map((second) => [first, second])).filter(
    (verbs) => !verbs.every(({ reads }) => reads === true),
  );
}

/** Every situation in which these verbs meet. */
export const situationsOf = (verbs: Meeting['verbs']): readonly Situation[] => SITUATIONS.filter((situation) => meet(verbs, situation));

/** Every pair of verbs in every situation in which both have something to do; how the job's handler ends only where somebody runs it. */
export function* pairs(): Generator<Meeting> {
  for (const verbs of verbPairs()) for (const situation of situationsOf(verbs)) yield { verbs, situation };
}

/** Whether verbs meet in a situation that is not the same to them as another one. */
export function meet(verbs: readonly Verb[], situation: Situation): boolean {
  const runs = verbs.some(({ role }) => RUNNERS.has(role));
  const handles = verbs.some(({ role }) => HANDLERS.has(role));
  const ends = runs || verbs.some(({ name }) => name.includes('cancel'));
  const looks = verbs.some(({ reads }) => reads === true);
  // What is kept of a job is written when it ends, and how a handler ends matters where one runs: foreign code has none.
  if (!ends && situation.history !== 'outcome') return false;
  if (!handles && situation.end !== usualEnd(situation)) return false;
  if (looks && (situation.history !== 'outcome' || !LOOKED_AT.has(situation.feature))) return false;
  return verbs.every((verb) => applies(verb, situation));
}

const usualEnd = ({ state }: Situation): Situation['end'] => (state === 'retrying' ? 'flaky' : 'plain');

/** `cancel × execute @ ready/key/plain/outcome`. */
export const pairText = (verbs: readonly Verb[], situation: Situation): string =>
  `${verbs.map(({ name }) => name).join(' × ')} @ ${situationText(situation)}`;

/** Reads what `pairText` writes, also with `x` for `×`; undefined for what there is not. */
export function parsePair(text: string): Meeting | undefined {
  const [names = '', where = ''] = text.split('@').map((part) => part.trim());
  const verbs = names.split(/ [×x] /).flatMap((name) => VERBS.find((verb) => verb.name === name.trim()) ?? []);
  const situation = SITUATIONS.find((one) => situationText(one) === where);
  return situation === undefined || verbs.length < 2 || verbs.length !== names.split(/ [×x] /).length ? undefined : { verbs, situation };
}
