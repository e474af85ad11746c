import { InvalidInputError } from '../../shared/job/errors.ts';
import type { RetentionScope } from '../../shared/features/retention/admin/retention-verbs.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { scopeWords } from '../parts/scope-text.ts';
import { type Body, textOf, contextOf, wantedWhole } from './body-fields.ts';

/** How long dead letters are kept: body `{ scope, days, reason? }` or `{ scope, reason? }`; the scope is `all` or `type#` and a type. */
export const RETENTION_ACTIONS: readonly Action[] = [
  { name: 'retention-set', bulk: 'place', run: set },
  { name: 'retention-clear', bulk: 'place', run: clear },
];

async function set(session: Session, body: Body): Promise<ActionAnswer> {
  const { text, scope } = scopeIn(body);
  const days = wantedWhole(body, 'days');
  await session.admin.setRetention(scope, days, contextOf(session, body));
  return { ok: true, message: `Set: ${scopeWords(text)} for ${days} days. The sweeper removes older dead letters.`, to: '/retention' };
}

async function clear(session: Session, body: Body): Promise<ActionAnswer> {
  const { text, scope } = scopeIn(body);
  const outcome = await session.admin.clearRetention(scope, contextOf(session, body));
  if (outcome === 'not-set') return { ok: false, message: `There is no rule for ${scopeWords(text)} any more.` };
  return { ok: true, message: `Cleared: the rule for ${scopeWords(text)}.` };
}

function scopeIn(body: Body): { readonly text: string; readonly scope: RetentionScope } {
  const text = textOf(body, 'scope') ?? '';
  if (text === 'all') return { text, scope: 'all' };
  const [, type] = /^type#(.+)$/su.exec(text) ?? [];
  if (type === undefined) throw new InvalidInputError('scope', body['scope'], 'Use all, or type#invoice.send for a type.');
  return { text, scope: { type } };
}
