import type { Situation } from '../situation.ts';
import { CLIENT_VERBS } from './clients.ts';
import { FUNCTION_VERBS } from './functions.ts';
import { OPERATOR_VERBS } from './operators.ts';
import type { Verb } from './verb.ts';
import { WORKER_VERBS } from './workers.ts';

/** Everything that somebody may do to a job, or beside it. */
export const VERBS: readonly Verb[] = [...CLIENT_VERBS, ...FUNCTION_VERBS, ...OPERATOR_VERBS, ...WORKER_VERBS];

export const applies = ({ states, fits }: Verb, situation: Situation): boolean =>
  states?.includes(situation.state) !== false && fits?.(situation) !== false;
