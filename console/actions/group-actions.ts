import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { type Body, textOf, timeOf, contextOf } from './body-fields.ts';

/** What operators say about an error group: body `{ fingerprint, note?, owner?, until?, reason? }`. Empty note and owner remove them. */
export const GROUP_ACTIONS: readonly Action[] = [
  { name: 'group-annotate', run: annotate },
  { name: 'group-ignore', run: ignore },
  { name: 'group-resolve', run: async (session, body) => said(session, body, 'resolve') },
  { name: 'group-reopen', run: async (session, body) => said(session, body, 'reopen') },
];

async function annotate(session: Session, body: Body): Promise<ActionAnswer> {
  const fingerprint = fingerprintOf(body);
  const note = body['note'] ?? null;
  if (note !== null && typeof note !== 'string') throw new InvalidInputError('note', note, 'Give a text.');
  const words = { note: note === null || note.trim() === '' ? null : note, owner: textOf(body, 'owner') ?? null };
  return answer(await session.admin.annotateErrorGroup(fingerprint, words, contextOf(session, body)), fingerprint, 'Noted.');
}

async function ignore(session: Session, body: Body): Promise<ActionAnswer> {
  const fingerprint = fingerprintOf(body);
  const until = timeOf(body, 'until', session.now());
  if (until === undefined) throw new InvalidInputError('until', body['until'], 'Say until when.');
  const outcome = await session.admin.ignoreErrorGroup(fingerprint, until, contextOf(session, body));
  return answer(outcome, fingerprint, 'Ignored: it is out of the open ones until then.');
}

async function said(session: Session, body: Body, what: 'resolve' | 'reopen'): Promise<ActionAnswer> {
  const fingerprint = fingerprintOf(body);
  const context = contextOf(session, body);
  if (what === 'reopen') return answer(await session.admin.reopenErrorGroup(fingerprint, context), fingerprint, 'It is open again.');
  const outcome = await session.admin.resolveErrorGroup(fingerprint, context);
  return answer(outcome, fingerprint, 'Resolved: it is open again when a job dies of it. Its dead letters stay.');
}

function answer(outcome: string, fingerprint: string, message: string): ActionAnswer {
  if (outcome === 'not-found') return { ok: false, message: 'There is no row of this group yet.' };
  return { ok: true, message, to: `/dead-letters/${encodeURIComponent(fingerprint)}` };
}

function fingerprintOf(body: Body): string {
  const fingerprint = textOf(body, 'fingerprint');
  if (fingerprint === undefined) throw new InvalidInputError('fingerprint', body['fingerprint'], 'Give the fingerprint of an error group.');
  return fingerprint;
}
