import { defined } from '../../shared/core/defined.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { inWords } from '../parts/times.ts';
import { type Body, idOf, textOf, timeOf, toldBy, wantedWhole, wholeOf } from './body-fields.ts';
import { answerFor } from './outcome-words.ts';

/** What is done to one job: body `{ id, reason?, ... }`. */
export const JOB_ACTIONS: readonly Action[] = [
  { name: 'redrive', run: redrive },
  { name: 'delete', run: remove },
  { name: 'cancel', run: cancel },
  { name: 'set-retries', run: setRetries },
  { name: 'set-due-date', run: setDueDate },
  { name: 'set-priority', run: setPriority },
  { name: 'run-now', run: runNow },
  { name: 'suspend-job', run: suspendJob },
  { name: 'activate-job', run: activateJob },
  { name: 'change-tenant', run: changeTenant },
];

async function redrive(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const retries = wholeOf(body, 'retries');
  const at = timeOf(body, 'at', session.now());
  const terms = defined({ retries, at });
  const outcome = await session.admin.redrive(id, { ...terms, ...toldBy(session, body) });
  return answerFor(
    outcome,
    id,
    at === undefined ? undefined : `Redriven: it waits until ${inWords(at, session.zone)}, with fresh counters.`,
  );
}

async function remove(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const answer = answerFor(await session.admin.delete(id, toldBy(session, body)), id);
  return answer.ok ? { ...answer, to: '/dead-letters' } : answer;
}

async function cancel(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const report = await session.admin.cancelWhere({ id }, toldBy(session, body));
  if (report.cancelled > 0) return answerFor('cancelled', id);
  if (report.requested > 0) return answerFor('cancel-requested', id);
  const job = await session.admin.find(id);
  if (job?.cancelRequested === true) return { ...answerFor('running', id), message: 'It runs and was asked to stop already.' };
  return answerFor(report.failed > 0 ? 'changed' : (job?.state ?? 'not-found'), id);
}

async function setRetries({ admin }: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const retries = wantedWhole(body, 'retries');
  return answerFor(await admin.setRetries(id, retries), id, `It gets ${retries} more ${retries === 1 ? 'try' : 'tries'} from now on.`);
}

async function setDueDate({ admin, now, zone }: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const at = timeOf(body, 'at', now());
  if (at === undefined)
    throw new InvalidInputError('at', body['at'], 'Say when: an instant such as 2026-01-31T12:00:00Z, or 30m from now.');
  return answerFor(await admin.setDueDate(id, { runAt: at }), id, `It is due at ${inWords(at, zone)}.`);
}

async function setPriority(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const priority = wantedWhole(body, 'priority');
  return answerFor(await session.admin.setPriority(id, priority, toldBy(session, body)), id, `Its priority is ${priority}.`);
}

async function runNow(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  return answerFor(await session.admin.runNow(id, toldBy(session, body)), id);
}

async function suspendJob(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const reason = textOf(body, 'reason');
  if (reason === undefined) throw new InvalidInputError('reason', body['reason'], 'Say why, for whoever finds the job stopped.');
  return answerFor(await session.admin.breakpoint(id, { actor: session.actor, reason }), id);
}

async function activateJob(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const outcome = await session.admin.activateJob(id, toldBy(session, body));
  if (outcome === 'waiting') return { ...answerFor('activated', id), message: 'Let go: it waits for its time.' };
  return answerFor(outcome, id);
}

async function changeTenant(session: Session, body: Body): Promise<ActionAnswer> {
  const id = idOf(body);
  const tenant = textOf(body, 'tenant') ?? null;
  const outcome = await session.admin.changeTenant(id, tenant, toldBy(session, body));
  const done = tenant === null ? 'It belongs to no tenant now.' : `It belongs to tenant ${tenant} now.`;
  return outcome === 'changed' ? answerFor('tenant-changed', id, done) : answerFor(outcome, id);
}
