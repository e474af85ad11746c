import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { type Body, contextOf, textOf, wantedWhole } from './body-fields.ts';

/** Numbers of limits: body `{ limit, n, reason? }` or `{ limit, reason? }`. */
export const LIMIT_ACTIONS: readonly Action[] = [
  { name: 'limit-set', bulk: 'place', run: set },
  { name: 'limit-clear', bulk: 'place', run: clear },
];

const CONFLICT = { ok: false, message: 'Another operator changed it in the same moment. Nothing was written: look again.' } as const;

async function set(session: Session, body: Body): Promise<ActionAnswer> {
  const limit = limitIn(body);
  const n = wantedWhole(body, 'n');
  if ((await session.admin.setLimit(limit, n, contextOf(session, body))) === 'conflict') return CONFLICT;
  return { ok: true, message: `Set: ${limit} to ${n}. Executors apply it within five seconds.`, to: '/limits' };
}

async function clear(session: Session, body: Body): Promise<ActionAnswer> {
  const limit = limitIn(body);
  const outcome = await session.admin.clearLimit(limit, contextOf(session, body));
  if (outcome === 'conflict') return CONFLICT;
  if (outcome === 'not-set') return { ok: false, message: `No number is set for ${limit} any more.` };
  return { ok: true, message: `Cleared: ${limit} has the number of the code again.` };
}

function limitIn(body: Body): string {
  const limit = textOf(body, 'limit');
  if (limit === undefined) throw new InvalidInputError('limit', body['limit'], 'Name the limit.');
  return limit;
}
