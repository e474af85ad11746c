import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { encodePayload } from '../../shared/job/payload.ts';
import type { ScheduleDefinition } from '../../shared/features/schedules/model/definition.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { editedPayload } from '../jobs/payload-text.ts';
import { href } from '../parts/links.ts';
import { type Body, daysOf, textOf, wholeOf } from './body-fields.ts';

/**
 * Makes a schedule: body `{ name, type, worker?, cron?, every?, zone?, missed?, overlap?, exclude?: 'SAT, 12-25', tenant?, payload?: <JSON text>,
 * schemaVersion? }`. `admin.schedules.put` checks all of it.
 */
export const MAKE_SCHEDULE: Action = { name: 'schedule-make', run: make };

async function make({ admin, redact }: Session, body: Body): Promise<ActionAnswer> {
  const [name, type] = [required(body, 'name'), required(body, 'type')];
  const worker = textOf(body, 'worker') ?? (await workerOf(admin, type));
  const exclude = daysOf(textOf(body, 'exclude'));
  const recurrence = { ...recurs(body), ...(exclude.length === 0 ? {} : { exclude }) };
  if ((await admin.schedules.get(name)) !== undefined)
    return { ok: false, message: `There is a schedule ${name} already: edit it on its page.` };
  const definition = {
    name,
    type,
    worker,
    schemaVersion: wholeOf(body, 'schemaVersion') ?? 1,
    payload: encodePayload(editedPayload(body['payload'] ?? '{}', undefined, redact)),
    recurrence,
    missed: textOf(body, 'missed') ?? 'coalesce',
    overlap: textOf(body, 'overlap') ?? 'allow',
    jitterMs: 0,
    ...defined({ tenant: textOf(body, 'tenant') }),
  };
  await admin.schedules.put(definition as ScheduleDefinition);
  return { ok: true, message: `Made: ${name}.`, to: href(['schedules', name]) };
}

function recurs(body: Body): { readonly cron?: string; readonly every?: string; readonly zone?: string } {
  return defined({ cron: textOf(body, 'cron'), every: textOf(body, 'every'), zone: textOf(body, 'zone') });
}

/** The worker that has a handler for a type, by the reports of workers. */
async function workerOf(admin: Session['admin'], name: string): Promise<string> {
  const { types } = await admin.types();
  const workers = types.find(({ type }) => type === name)?.workers.filter(({ current }) => current) ?? [];
  const [only, ...others] = new Set(workers.map(({ worker }) => worker));
  if (only === undefined)
    throw new InvalidInputError('type', name, 'No worker has reported this type lately. Name its worker, or deploy it first.');
  if (others.length > 0)
    throw new InvalidInputError('worker', undefined, `Several have the type: ${[only, ...others].join(', ')}. Name one.`);
  return only;
}

function required(body: Body, field: 'name' | 'type'): string {
  const text = textOf(body, field);
  if (text === undefined) throw new InvalidInputError(field, body[field], field === 'name' ? 'Say which schedule.' : 'Say what it runs.');
  return text;
}
