import type { EraseScope } from '../../operate/erase/erasure.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { eraseRunsOf } from '../erase-runs.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { type Body, flagOf, textOf, contextOf, wholeOf } from './body-fields.ts';

/** Erasing: body `{ id?, type?, tenant?, reason, cancelLive?, ratePerSecond? }`, or `{ erasure }` for one that began. */
export const ERASE_ACTIONS: readonly Action[] = [
  { name: 'erase', bulk: 'place', run: erase },
  { name: 'erase-stop', run: stop },
  { name: 'erase-resume', bulk: 'place', run: resume },
];

async function erase(session: Session, body: Body): Promise<ActionAnswer> {
  const scope: EraseScope = defined({ id: textOf(body, 'id'), type: textOf(body, 'type'), tenant: textOf(body, 'tenant') });
  const ratePerSecond = wholeOf(body, 'ratePerSecond');
  const options = { ...contextOf(session, body), cancelLive: flagOf(body, 'cancelLive'), ...defined({ ratePerSecond }) };
  const id = await eraseRunsOf(session).start(scope, options);
  return { ok: true, message: 'The erasure has started.', to: pageOf(id) };
}

async function stop(session: Session, body: Body): Promise<ActionAnswer> {
  const id = erasureOf(body);
  if (eraseRunsOf(session).stop(id)) return { ok: true, message: 'It stops after its current step.', to: pageOf(id) };
  return { ok: false, message: 'This console does not run it: stop it where it was started.', to: pageOf(id) };
}

async function resume(session: Session, body: Body): Promise<ActionAnswer> {
  const id = erasureOf(body);
  const answer = await eraseRunsOf(session).resume(id, session.actor);
  if (answer === 'here') return { ok: true, message: 'It continues where it stopped.', to: pageOf(id) };
  if (answer === undefined) return { ok: false, message: 'There is no such erasure.', to: '/erasures' };
  return { ok: false, message: `It is ${answer.status}: nothing was done.`, to: pageOf(id) };
}

function erasureOf(body: Body): string {
  const id = textOf(body, 'erasure');
  if (id === undefined) throw new InvalidInputError('erasure', body['erasure'], 'Give the id of an erasure.');
  return id;
}

const pageOf = (id: string): string => `/erasures/${encodeURIComponent(id)}`;
