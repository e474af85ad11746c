import { SITUATIONS } from '../proofs/orders/meetings.ts';
import { type Situation, situationText, STATES, type StateName } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { applies, VERBS } from '../proofs/orders/verbs/verbs.ts';
import { type Otherwise, transcribe } from './transcribe.ts';

/** States in which jobs that have something besides are looked at too. */
const FEATURED: ReadonlySet<StateName> = new Set<StateName>(['ready', 'running', 'held-back']);
const FEW: ReadonlySet<StateName> = new Set<StateName>(['ready', 'running', 'dead']);
const RUNNERS: ReadonlySet<Verb['role']> = new Set<Verb['role']>(['executor', 'foreign', 'outside']);
/** Who acts in between. */
const INTRUDERS: readonly Verb['name'][] = ['setPriority', 'cancel'];
/** Later ones are those of many jobs, which are written alike. */
const MOST_WRITES = 3;

const usualEnd = ({ state }: Situation): Situation['end'] => (state === 'retrying' ? 'flaky' : state === 'dead' ? 'refused' : 'plain');

/** How many things are otherwise than with a plain job. */
function oddities(one: Situation): number {
  return [one.feature !== 'plain', one.end !== usualEnd(one), one.history !== 'outcome'].filter(Boolean).length;
}

/** The situations of a state in which what a verb does is written down, the plainest first. */
export function situationsOf(verb: Verb, state: StateName): readonly Situation[] {
  const all = SITUATIONS.filter((one) => one.state === state && applies(verb, one));
  const least = Math.min(...all.map(oddities));
  const isOdd = (one: Situation): boolean =>
    FEATURED.has(state) && verb.role !== 'bulk' && oddities(one) === least + 1 && (one.end === usualEnd(one) || RUNNERS.has(verb.role));
  const written = all.filter((one) => oddities(one) === least || isOdd(one));
  return written.toSorted((one, other) => oddities(one) - oddities(other));
}

/** The states in which a verb is looked at: what acts on many jobs does to each what the verb for one of them does. */
export function statesOf(verb: Verb): readonly StateName[] {
  const states = isOfMany(verb) || verb.reads === true ? STATES.filter((state) => FEW.has(state)) : STATES;
  return states.filter((state) => situationsOf(verb, state).length > 0);
}

/** What a verb does to a job in a state: whole where it is plain, and what is otherwise where it has something besides or something goes wrong. */
export async function sectionOf(verb: Verb, state: StateName): Promise<string> {
  const [plain, ...others] = situationsOf(verb, state);
  if (plain === undefined) return '';
  const { lines, writes } = await transcribe(verb, plain);
  const blocks = new Map<string, string[]>();
  const add = (differing: readonly string[], title: string): void => {
    const text = differing.length === 0 ? 'the same' : differing.join('\n');
    blocks.set(text, [...(blocks.get(text) ?? []), title]);
  };
  for (const situation of others) add(insteadOf(lines, (await transcribe(verb, situation)).lines), situationText(situation));
  for (const otherwise of isOfMany(verb) && state !== 'ready' ? [] : mishaps(writes)) {
    const { at, what } = otherwise;
    const title = typeof what === 'string' ? `reply ${at} ${what}` : `${what.name} before write ${at}`;
    add(insteadOf(lines, (await transcribe(verb, plain, otherwise)).lines), title);
  }
  const told = [...blocks].map(([text, titles]) => `${titles.map((title) => `### ${title}`).join('\n')}\n${text}\n`);
  return [`## ${situationText(plain)}\n${lines.join('\n')}\n`, ...told].join('\n');
}

const isOfMany = ({ name, role }: Verb): boolean => role === 'bulk' || /Many$|Where$|Batch$|-batch$|sweep/.test(name);

function mishaps(writes: number): readonly Otherwise[] {
  const others = VERBS.filter(({ name }) => INTRUDERS.includes(name));
  return Array.from({ length: Math.min(writes, MOST_WRITES) }, (_, index) => index + 1).flatMap((at) =>
    [...(['repeated', 'unknown'] as const), ...others].map((what) => ({ at, what })),
  );
}

/** The lines between those that both begin with and those that both end with, and which they take the place of. */
function insteadOf(some: readonly string[], others: readonly string[]): readonly string[] {
  const most = Math.min(some.length, others.length);
  let before = 0;
  while (before < most && some[before] === others[before]) before++;
  let after = 0;
  while (after < most - before && some.at(-1 - after) === others.at(-1 - after)) after++;
  if (before + after === some.length && before + after === others.length) return [];
  const where = before === some.length - after ? `after line ${before}` : `instead of lines ${before + 1} to ${some.length - after}`;
  return [`${where}:`, ...others.slice(before, others.length - after)];
}
