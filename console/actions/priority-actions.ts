import type { PriorityScope } from '../../shared/features/rules/model/rules.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { scopeOf, scopeWords } from '../parts/scope-text.ts';
import { type Body, contextOf, exactOf, flagOf, textOf, wantedWhole } from './body-fields.ts';

/** Priorities of types and tenants: body `{ scope, default?, priority, cascade?, reason? }` or `{ scope, default?, reason? }`; `type` or `tenant` instead of `scope`. */
export const PRIORITY_ACTIONS: readonly Action[] = [
  { name: 'priority-override', bulk: 'place', run: override },
  { name: 'priority-clear', bulk: 'place', run: clear },
];

async function override(session: Session, body: Body): Promise<ActionAnswer> {
  const [scope, words] = scopeIn(body);
  const priority = wantedWhole(body, 'priority');
  const flags = { cascade: flagOf(body, 'cascade'), default: flagOf(body, 'default') };
  await session.admin.overridePriority(scope, priority, { ...contextOf(session, body), ...flags });
  return {
    ok: true,
    message: `Set: ${words} to ${priority}. Executors apply it within five seconds, as they receive jobs.`,
    to: '/workers',
  };
}

async function clear(session: Session, body: Body): Promise<ActionAnswer> {
  const [scope, words] = scopeIn(body);
  const outcome = await session.admin.clearPriority(scope, { ...contextOf(session, body), default: flagOf(body, 'default') });
  if (outcome === 'not-set') return { ok: false, message: `No such priority is set for ${words} any more.` };
  return { ok: true, message: `Cleared: ${words}. Jobs that it moved to another lane stay there.` };
}

/** The scope and its words. The verbs refuse a scope that has no priority, such as a group. */
function scopeIn(body: Body): readonly [PriorityScope, string] {
  const [type, tenant] = [textOf(body, 'type'), textOf(body, 'tenant')];
  const given = [exactOf(body, 'scope'), type && `type#${type}`, tenant && `tenant#${tenant}`].filter((one) => one !== undefined);
  const [text] = given;
  const scope = text === undefined || given.length > 1 ? undefined : scopeOf(text);
  if (text === undefined || scope === undefined) throw new InvalidInputError('scope', body['scope'], 'Name one type or one tenant.');
  return [scope as PriorityScope, scopeWords(text)];
}
