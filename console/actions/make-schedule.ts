import { newSchedule } from '../../operate/new-schedule.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { editedPayload } from '../jobs/payload-text.ts';
import { href } from '../parts/links.ts';
import { type Body, contextOf, daysOf, textOf, wholeOf } from './body-fields.ts';

/**
 * Makes a schedule: body `{ name, type, worker?, cron?, every?, zone?, missed?, overlap?, exclude?: 'SAT, 12-25', tenant?, payload?: <JSON text>,
 * schemaVersion?, reason? }`. `admin.schedules.put` checks all of it.
 */
export const MAKE_SCHEDULE: Action = { name: 'schedule-make', run: make };

async function make(session: Session, body: Body): Promise<ActionAnswer> {
  const { admin, redact } = session;
  const name = required(body, 'name');
  const definition = await newSchedule(admin, {
    name,
    type: required(body, 'type'),
    worker: textOf(body, 'worker'),
    cron: textOf(body, 'cron'),
    every: textOf(body, 'every'),
    zone: textOf(body, 'zone'),
    exclude: daysOf(textOf(body, 'exclude')),
    missed: textOf(body, 'missed'),
    overlap: textOf(body, 'overlap'),
    tenant: textOf(body, 'tenant'),
    payload: editedPayload(body['payload'] ?? '{}', undefined, redact),
    schemaVersion: wholeOf(body, 'schemaVersion'),
  });
  if ((await admin.schedules.get(name)) !== undefined)
    return { ok: false, message: `There is a schedule ${name} already: edit it on its page.` };
  await admin.schedules.put(definition, contextOf(session, body));
  return { ok: true, message: `Made: ${name}.`, to: href(['schedules', name]) };
}

function required(body: Body, field: 'name' | 'type'): string {
  const text = textOf(body, field);
  if (text === undefined) throw new InvalidInputError(field, body[field], field === 'name' ? 'Say which schedule.' : 'Say what it runs.');
  return text;
}
