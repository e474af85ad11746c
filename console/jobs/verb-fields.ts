import { JOB_VERBS } from '../../shared/admin/verbs.ts';
import type { AskedField, JobVerb } from '../../shared/admin/verbs/verb.ts';
import type { JobState } from '../../shared/core/job.ts';

const WHY: AskedField = { name: 'reason', label: 'Why', hint: 'For the audit.' };
const RATE: AskedField = { name: 'ratePerSecond', label: 'Jobs a second', kind: 'number', hint: 'Empty: as fast as it goes.' };
const LIMIT: AskedField = { name: 'limit', label: 'Jobs at most', kind: 'number', hint: 'Empty: all of them.' };
const CANARY: AskedField = { name: 'canary', label: 'One first, and go on only when that one has completed', kind: 'flag' };
const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'suspended', 'running', 'dead'];

/** Every verb, in the order of its buttons. */
export const VERBS: readonly JobVerb[] = [...JOB_VERBS].toSorted((a, b) => a.button.place - b.button.place);

/** The states in which a verb is offered. */
export function statesOf({ acts, means = acts }: JobVerb): readonly JobState[] {
  return STATES.filter((state) => means.includes(state));
}

/** What the dialog for one job asks for. */
export function fieldsForOne({ arguments: given = [], told, button }: JobVerb): readonly AskedField[] {
  const fields = given.map(({ asked }) => asked.one);
  if (told === undefined) return fields;
  return [...fields, told === 'required' ? { ...WHY, label: button.why ?? WHY.label, required: true } : WHY];
}

/** What the dialog for many jobs asks for. What is required comes first. */
export function fieldsForMany({ arguments: given = [], told, canary }: JobVerb): readonly AskedField[] {
  const fields = given.map(({ asked }) => asked.many);
  const first = [...(canary === undefined ? [] : [CANARY]), ...fields];
  return told === 'required' ? [...first, { ...WHY, required: true }, RATE, LIMIT] : [...first, RATE, LIMIT, WHY];
}
