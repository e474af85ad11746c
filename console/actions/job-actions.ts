import type { JobVerb } from '../../shared/admin/verbs/verb.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { VERBS } from '../jobs/verb-fields.ts';
import { instantWords } from '../parts/times.ts';
import { type Body, idOf, toldBy } from './body-fields.ts';
import { answerFor, doneAnswer } from './outcome-words.ts';
import { actionOf } from './verb-body.ts';

/** What is done to one job: body `{ id, reason?, ... }`. */
export const JOB_ACTIONS: readonly Action[] = VERBS.map((verb) => ({
  name: verb.button.action,
  run: async (session, body) => act(session, verb, body),
}));

async function act(session: Session, verb: JobVerb, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const action = actionOf(verb, 'one', body, session.now());
  const outcome = await verb.act(session.admin, id, action, toldTo(verb, session, body));
  if (!verb.done.includes(outcome)) return answerFor(outcome, id);
  const answer = doneAnswer(verb.says(outcome, action, instantWords(session.zone)), id);
  const { leadsTo: to } = verb.button;
  return to === undefined ? answer : { ...answer, to };
}

/** Who acts, and why, if the verb takes that. */
function toldTo({ told, button }: JobVerb, session: Session, body: Body): ReturnType<typeof toldBy> {
  if (told === undefined) return { actor: session.actor };
  const given = toldBy(session, body);
  if (told === 'required' && given.reason === undefined) {
    throw new InvalidInputError('reason', body['reason'], button.whyMissing ?? 'Say why.');
  }
  return given;
}
