import { InvalidInputError } from '../../shared/core/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { href } from '../parts/links.ts';
import { type Body, textOf, toldBy } from './body-fields.ts';

/** What is done to one schedule: body `{ name, reason? }`. */
export const SCHEDULE_ACTIONS: readonly Action[] = [
  { name: 'schedule-pause', run: pause },
  { name: 'schedule-resume', run: resume },
  { name: 'schedule-run-now', run: runNow },
];

async function pause(session: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  if (await session.admin.schedules.pause(name, toldBy(session, body))) return { ok: true, message: `Paused: ${name}.` };
  return { ok: false, message: `${name} is paused already, or there is no such schedule any more.` };
}

async function resume({ admin }: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  if (await admin.schedules.resume(name)) return { ok: true, message: `Resumed: ${name}.` };
  return { ok: false, message: `${name} is not paused, or there is no such schedule any more.` };
}

async function runNow({ admin }: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  const id = await admin.schedules.runNow(name);
  if (id === undefined) return { ok: false, message: `There is no schedule ${name} any more.` };
  return { ok: true, message: `Started: job ${id}.`, to: href(['jobs', id]) };
}

function nameOf(body: Body): string {
  const name = textOf(body, 'name');
  if (name === undefined) throw new InvalidInputError('name', body['name'], 'Say which schedule.');
  return name;
}
