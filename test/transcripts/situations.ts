import { SITUATIONS } from '../proofs/orders/meetings.ts';
import { type Situation, STATES, type StateName } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { applies } from '../proofs/orders/verbs/verbs.ts';

/** States in which jobs with one feature are recorded too. */
const FEATURED: ReadonlySet<StateName> = new Set<StateName>(['ready', 'running', 'held-back']);
/** States for verbs of many jobs: to each job they do what the verb for one job does. */
const FEW: ReadonlySet<StateName> = new Set<StateName>(['ready', 'running', 'dead']);
const RUNNERS: ReadonlySet<Verb['role']> = new Set<Verb['role']>(['executor', 'foreign', 'outside']);

const isOfMany = ({ name, role }: Verb): boolean => role === 'bulk' || /Many$|Where$|Batch$|-batch$|sweep|erase|reconcile/.test(name);

const usualEnd = ({ state }: Situation): Situation['end'] => (state === 'retrying' ? 'flaky' : state === 'dead' ? 'refused' : 'plain');

/** In how many respects a situation differs from that of a plain job. */
function oddities(one: Situation): number {
  return [one.feature !== 'plain', one.end !== usualEnd(one), one.history !== 'outcome'].filter(Boolean).length;
}

/** A situation of a known state in a word or two: in what it differs from that of a plain job. */
export function nameOf(one: Situation): string {
  const { feature, end, history } = one;
  const odd = [feature === 'plain' ? [] : feature, end === usualEnd(one) ? [] : end, history === 'outcome' ? [] : history].flat();
  return odd.length === 0 ? 'plain' : odd.join('+');
}

/** The situations of a state in which a verb is recorded: the plainest, and in some states those that differ in one respect. */
export function situationsOf(verb: Verb, state: StateName): readonly Situation[] {
  const all = SITUATIONS.filter((one) => one.state === state && applies(verb, one));
  const least = Math.min(...all.map(oddities));
  const isOdd = (one: Situation): boolean =>
    FEATURED.has(state) && verb.role !== 'bulk' && oddities(one) === least + 1 && (one.end === usualEnd(one) || RUNNERS.has(verb.role));
  return all.filter((one) => oddities(one) === least || isOdd(one)).toSorted((one, other) => oddities(one) - oddities(other));
}

/** The states in which a verb is recorded. */
export const statesOf = (verb: Verb): readonly StateName[] =>
  STATES.filter((state) => (!isOfMany(verb) || FEW.has(state)) && situationsOf(verb, state).length > 0);
