import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { isDeepStrictEqual } from 'node:util';
import { fieldValues } from '../../operate/schedule-fields.ts';
import { SCHEDULE_VERBS, type ScheduleVerb } from '../../operate/schedule-verbs.ts';
import type { ScheduleDefinition } from '../../shared/features/schedules/model/definition.ts';
import type { ScheduleEdit } from '../../shared/features/schedules/model/edit.ts';
import { editedPayload } from '../jobs/payload-text.ts';
import { href } from '../parts/links.ts';
import { defined } from '../../shared/job/defined.ts';
import { type Body, textOf, contextOf, wholeOf } from './body-fields.ts';
import { MAKE_SCHEDULE } from './make-schedule.ts';
import { editBetween, valuesOf } from './schedule-values.ts';

/**
 * Actions on one schedule: body `{ name, reason? }`; a backfill has also `{ from, to, limit?, ratePerSecond? }`, an edit
 * `{ hash, payload?: <JSON text> }` and the values of all its fields. `schedule-make` is in a file of its own.
 */
export const SCHEDULE_ACTIONS: readonly Action[] = [
  ...SCHEDULE_VERBS.map(
    (verb) => ({ name: `schedule-${verb.name}`, run: async (session, body) => change(verb, session, body) }) satisfies Action,
  ),
  { name: 'schedule-backfill', bulk: 'place', run: backfill },
  MAKE_SCHEDULE,
  { name: 'schedule-edit', run: edit },
  { name: 'schedule-delete', bulk: 'place', run: remove },
];

async function change(verb: ScheduleVerb, session: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  const done = await verb.run(session.admin.schedules, name, contextOf(session, body));
  if (done === undefined) return { ok: false, message: verb.leftAlone(name) };
  const { word, job } = done;
  const what = job === undefined ? name : `job ${job}`;
  return {
    ok: true,
    message: `${word[0]?.toUpperCase()}${word.slice(1)}: ${what}.`,
    ...(job === undefined ? {} : { to: href(['jobs', job]) }),
  };
}

async function backfill(session: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  const [from, to] = [textOf(body, 'from') ?? '', textOf(body, 'to') ?? ''];
  const rate = textOf(body, 'ratePerSecond');
  const more = defined({ limit: wholeOf(body, 'limit'), ratePerSecond: rate === undefined ? undefined : Number(rate) });
  const report = await session.admin.schedules.backfill(name, { from, to, apply: true, ...more, ...contextOf(session, body) });
  if (report === undefined) return gone(name);
  const { enqueued, known, next } = report;
  const rest = next === undefined ? '' : ` There are more: continue from ${next.toISOString()}.`;
  return {
    ok: true,
    message: `Enqueued: ${enqueued} of ${name}; ${known} were known and left alone.${rest}`,
    to: href(['jobs'], { schedule: name }),
  };
}

/** Saves the changed fields. If the schedule has changed since its page was shown, nothing is written, and the page shows it next to the input. */
async function edit(session: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  const found = await session.admin.schedules.get(name);
  if (found === undefined) return gone(name);
  const change = changedFields(session, body, found.definition);
  if (Object.keys(change).length === 0) return { ok: true, message: `Nothing was changed: ${name}.` };
  const options = { ...contextOf(session, body), ...defined({ hash: textOf(body, 'hash') }) };
  const outcome = await session.admin.schedules.edit(name, change, options);
  if (outcome === 'not-found') return gone(name);
  if (outcome === 'edited') return { ok: true, message: `Saved: ${name}.` };
  const message = 'The schedule changed meanwhile: nothing was written. It is shown as it is now; save yours again to replace it.';
  return { ok: false, message, conflict: true };
}

/** The form sends all of its fields: those that are as they were are left out, so that a zone that was never given does not start the sequence over. */
function changedFields({ redact, now }: Session, body: Body, definition: ScheduleDefinition): ScheduleEdit {
  const edit = editBetween(fieldValues(definition), valuesOf(body, now()));
  if (body['payload'] === undefined) return edit;
  const payload = editedPayload(body['payload'], definition.payload, redact);
  return isDeepStrictEqual(payload, JSON.parse(definition.payload)) ? edit : { ...edit, payload };
}

async function remove(session: Session, body: Body): Promise<ActionAnswer> {
  const name = nameOf(body);
  const deleted = await session.admin.schedules.delete(name, contextOf(session, body));
  return deleted ? { ok: true, message: `Deleted: ${name}.`, to: '/schedules' } : gone(name);
}

const gone = (name: string): ActionAnswer => ({ ok: false, message: `There is no schedule ${name} any more.` });

function nameOf(body: Body): string {
  const name = textOf(body, 'name');
  if (name === undefined) throw new InvalidInputError('name', body['name'], 'Say which schedule.');
  return name;
}
