/** The table of verbs in `docs/operate/admin.md`, from the registry; a test fails when they differ. */
import { JOB_VERBS } from '../operate/verbs.ts';
import type { JobVerb } from '../operate/verbs/verb.ts';
import type { JobState } from '../shared/job/job.ts';
import { withSection } from './generated-section.ts';

const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended', 'dead'];

/** The page about the admin, with its table of verbs. Throws if its comments are gone. */
export function adminDoc(page: string): string {
  return withSection({ page, name: 'verbs', text: [...HEAD, ...JOB_VERBS.map(rowOf)].join('\n') });
}

const HEAD = [
  '| verb of `bulk` | does | acts on | if the filter names no state | on one job |',
  '| --- | --- | --- | --- | --- |',
] as const;

function rowOf(verb: JobVerb): string {
  const { name, command, acts, means = acts, method } = verb;
  const cells = [
    `\`${name}\`${fieldsOf(verb)}`,
    command.summary,
    inWords(acts),
    means === acts ? 'the same' : inWords(means),
    `\`${method}\``,
  ];
  return `| ${cells.join(' | ')} |`;
}

function fieldsOf({ arguments: given = [], moreFields = [] }: JobVerb): string {
  const fields = [...given.map(({ field }) => field), ...moreFields];
  return fields.length === 0 ? '' : ` (${fields.map((field) => `\`${field}\``).join(', ')})`;
}

function inWords(states: readonly JobState[]): string {
  return STATES.filter((state) => states.includes(state)).join(', ');
}
