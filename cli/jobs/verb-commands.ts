import { JOB_VERBS } from '../../operate/verbs.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import type { JobState } from '../../shared/job/job.ts';

interface Of {
  readonly id: string;
  readonly state: JobState;
}

/** The commands of actions that are not job verbs, or of which one of several arguments is needed; `<...>` is a placeholder. */
const OTHERS: ReadonlyMap<string, (job: Of) => readonly string[]> = new Map<string, (job: Of) => readonly string[]>([
  [
    'editPayload',
    ({ id, state }) => [...(state === 'dead' ? ['dead-letters', 'edit', '--redrive'] : ['jobs', 'edit']), '--payload', '<json>', id],
  ],
  ['move', ({ id }) => ['jobs', 'move', '--to-worker', '<worker>', id]],
  ['resume', () => ['suspensions', 'list']],
  ['blockedGroups', () => ['groups']],
  ['limits', () => ['stats', 'limits']],
  ['workers', () => ['workers']],
  ['schedules', () => ['schedules', 'list']],
]);

/** The words behind `nightcrew` by which one of an explanation's verbs is done or looked into; undefined for a verb without a command. */
export function verbCommandWords(verb: string, job: Of): readonly string[] | undefined {
  const verbs: readonly JobVerb[] = JOB_VERBS;
  const other = OTHERS.get(verb) ?? OTHERS.get(verb.split('.')[0] ?? '');
  if (other !== undefined) return other(job);
  // An explanation says `cancel` for what Admin does with `cancelWhere`.
  const named = verbs.find(({ method }) => method === verb) ?? verbs.find(({ name }) => name === verb);
  return named === undefined ? undefined : wordsOf(named, job);
}

function wordsOf({ name, command, context, arguments: given = [] }: JobVerb, { id }: Of): readonly string[] {
  const [main = 'jobs'] = Object.keys(command.of);
  const needed = given.filter(({ required }) => required === true).flatMap(({ flag }) => flag.flags.split(' '));
  return [main, name, ...needed, ...(context === 'required' ? ['--reason', '<text>'] : []), id];
}
