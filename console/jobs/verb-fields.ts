import { JOB_VERBS } from '../../operate/verbs.ts';
import type { AskedField, JobVerb } from '../../operate/verbs/verb.ts';
import type { JobState } from '../../shared/job/job.ts';

/** The reason that every verb takes. */
export const WHY: AskedField = { name: 'reason', label: 'Why', hint: 'For the audit.' };
const RATE: AskedField = { name: 'ratePerSecond', label: 'Jobs a second', kind: 'number', hint: 'Empty: as fast as possible.' };
const LIMIT: AskedField = { name: 'limit', label: 'Jobs at most', kind: 'number', hint: 'Empty: all of them.' };
const CANARY: AskedField = { name: 'canary', label: 'Start with one job, and continue only when it has completed', kind: 'flag' };
const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'suspended', 'running', 'dead'];

/** Every verb, in the order of its buttons. */
export const VERBS: readonly JobVerb[] = [...JOB_VERBS].toSorted((a, b) => a.button.place - b.button.place);

/** The states in which a verb is offered. */
export function statesOf({ acts, means = acts }: JobVerb): readonly JobState[] {
  return STATES.filter((state) => means.includes(state));
}

/** The fields of the dialog for one job. */
export function fieldsForOne({ arguments: given = [], context, button }: JobVerb): readonly AskedField[] {
  const fields = given.flatMap(({ asked }) => asked?.one ?? []);
  if (context === undefined) return fields;
  return [...fields, context === 'required' ? { ...WHY, label: button.why ?? WHY.label, required: true } : WHY];
}

/** The fields of the dialog for many jobs. Required ones come first. */
export function fieldsForMany({ arguments: given = [], context, canary }: JobVerb): readonly AskedField[] {
  const fields = given.flatMap(({ asked }) => asked?.many ?? []);
  const first = [...(canary === undefined ? [] : [CANARY]), ...fields];
  return context === 'required' ? [...first, { ...WHY, required: true }, RATE, LIMIT] : [...first, RATE, LIMIT, WHY];
}
