import type { JobVerb } from '../../operate/verbs/verb.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { VERBS } from '../jobs/verb-fields.ts';
import { instantWords } from '../parts/times.ts';
import { type Body, idOf, contextOf } from './body-fields.ts';
import { answerFor, doneAnswer } from './outcome-words.ts';
import { actionOf } from './verb-body.ts';

/** Actions on one job: body `{ id, reason?, ... }`. */
export const JOB_ACTIONS: readonly Action[] = VERBS.map((verb) => ({
  name: verb.button.action,
  run: async (session, body) => act(session, verb, body),
}));

async function act(session: Session, verb: JobVerb, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const action = actionOf(verb, 'one', body, session);
  const outcome = await verb.act(session.admin, id, action, contextFor(verb, session, body));
  if (!verb.done.includes(outcome)) return answerFor(outcome, id);
  const answer = doneAnswer(verb.says(outcome, action, instantWords(session.zone)), id);
  const { leadsTo: to } = verb.button;
  return to === undefined ? answer : { ...answer, to };
}

/** The actor and, if the verb takes one, the reason. */
function contextFor({ context, button }: JobVerb, session: Session, body: Body): ReturnType<typeof contextOf> {
  if (context === undefined) return { actor: session.actor };
  const given = contextOf(session, body);
  if (context === 'required' && given.reason === undefined) {
    throw new InvalidInputError('reason', body['reason'], button.whyMissing ?? 'Say why.');
  }
  return given;
}
