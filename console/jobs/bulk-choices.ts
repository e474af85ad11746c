import { InvalidInputError } from '../../shared/job/errors.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import type { BulkAction } from '../../operate/verbs.ts';
import type { AskedField, JobVerb } from '../../operate/verbs/verb.ts';
import { fieldsForMany, statesOf, VERBS } from './verb-fields.ts';

/** The actions on many jobs, and the states in which each has an effect. */
export interface BulkChoice {
  readonly verb: BulkAction['verb'];
  readonly label: string;
  readonly doing: string;
  readonly states: readonly JobState[];
  readonly danger: boolean;
  readonly fields: readonly AskedField[];
  /** It can show what it would make of one job. */
  readonly preview: boolean;
}

/** In the order in which they are offered. */
export const BULK_CHOICES: readonly BulkChoice[] = VERBS.map((verb: JobVerb) => ({
  verb: verb.name as BulkAction['verb'],
  label: verb.button.labelForMany ?? verb.button.label,
  doing: verb.button.doing,
  states: statesOf(verb),
  danger: verb.button.danger === true,
  fields: fieldsForMany(verb),
  preview: verb.preview !== undefined,
}));

/** Of a known verb. */
export function bulkVerb(verb: BulkAction['verb']): BulkChoice {
  const choice = BULK_CHOICES.find((known) => known.verb === verb);
  if (choice === undefined) throw new InvalidInputError('verb', verb, `Use one of ${BULK_CHOICES.map((known) => known.verb).join(', ')}.`);
  return choice;
}

/** The actions for the states of a list; without states, those for any unfinished job. */
export function bulkChoicesFor(state: JobFilter['state']): readonly BulkChoice[] {
  const states = [state ?? []].flat();
  return BULK_CHOICES.filter((choice) => states.length === 0 || states.some((one) => choice.states.includes(one)));
}

/** The filter restricted to the states in which the verb has an effect, so that the count matches the action. */
export function narrowed(filter: JobFilter, verb: BulkAction['verb']): JobFilter {
  const { states, label } = bulkVerb(verb);
  const asked = [filter.state ?? []].flat();
  const left = asked.length === 0 ? states : asked.filter((state) => states.includes(state));
  const [only, ...more] = left;
  if (only === undefined) {
    throw new InvalidInputError('state', asked.join(', '), `${label} works on jobs that are ${states.join(', ')}.`);
  }
  return { ...filter, state: more.length === 0 ? only : left };
}
