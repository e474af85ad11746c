import { newSchedule } from '../../operate/new-schedule.ts';
import { editTo } from '../../operate/schedule-fields.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { editedPayload } from '../jobs/payload-text.ts';
import { href } from '../parts/links.ts';
import { type Body, contextOf, textOf, wholeOf } from './body-fields.ts';
import { valuesOf } from './schedule-values.ts';

/**
 * Makes a schedule: body `{ name, type, worker?, schemaVersion?, payload?: <JSON text>, reason? }` and the values of its fields.
 * `admin.schedules.put` checks all of it.
 */
export const MAKE_SCHEDULE: Action = { name: 'schedule-make', run: make };

async function make(session: Session, body: Body): Promise<ActionAnswer> {
  const { admin, redact } = session;
  const name = required(body, 'name');
  const values = valuesOf(body, session.now());
  const definition = await newSchedule(admin, {
    name,
    type: required(body, 'type'),
    worker: textOf(body, 'worker'),
    schemaVersion: wholeOf(body, 'schemaVersion'),
    fields: { ...editTo(values), payload: editedPayload(body['payload'] ?? '{}', undefined, redact) },
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
