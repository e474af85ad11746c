import { editedPayload } from '../jobs/payload-text.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { type Body, flagOf, idOf, timeOf, contextOf, wantedWhole, wholeOf } from './body-fields.ts';
import { answerFor, doneAnswer } from './outcome-words.ts';

/**
 * Another payload for one job: body `{ id, rev, payload: <JSON text>, reason? }`; a job that changed since `rev` is left alone. A dead letter is
 * redriven with it, unless `keep` says to save it only.
 */
export const PAYLOAD_ACTIONS: readonly Action[] = [
  { name: 'edit-payload', run: editPayload },
  { name: 'redrive-with-payload', run: redriveWithPayload },
];

interface Edit {
  readonly id: string;
  readonly rev: number;
  readonly payload: unknown;
  readonly found: JobView;
}

async function editPayload(session: Session, body: Body): Promise<ActionAnswer> {
  const edit = await readEdit(session, body);
  if ('ok' in edit) return edit;
  const { id, rev, payload } = edit;
  const outcome = await session.admin.editPayload(id, payload, { ...contextOf(session, body), rev });
  if (outcome === 'edited') return doneAnswer('The payload was changed.', id);
  return outcome === 'changed' ? changed(id) : answerFor(outcome, id);
}

/** The page reloads with this answer and shows the typed text next to the current payload. */
function changed(id: string): ActionAnswer {
  const message =
    'The job changed meanwhile: nothing was written. Its current payload is shown above yours; send yours again to replace it.';
  return { ...answerFor('changed', id), message, conflict: true };
}

async function redriveWithPayload(session: Session, body: Body): Promise<ActionAnswer> {
  const edit = await readEdit(session, body);
  if ('ok' in edit) return edit;
  const { id, rev, payload, found } = edit;
  if (flagOf(body, 'keep')) return editPayload(session, body);
  if (found.state !== 'dead') return answerFor(found.state, id);
  const retries = wholeOf(body, 'retries');
  const at = timeOf(body, 'at', session.now());
  const more = defined({ retries, at });
  const outcome = await session.admin.redrive(id, { payload, rev, ...more, ...contextOf(session, body) });
  if (outcome === 'redriven') return doneAnswer('Redriven with the new payload.', id);
  return outcome === 'changed' ? changed(id) : answerFor(outcome, id);
}

/** Hidden fields keep their stored values, so the row is read; an edit of a missing job is refused. */
async function readEdit(session: Session, body: Body): Promise<Edit | ActionAnswer> {
  const id = idOf(body);
  const rev = wantedWhole(body, 'rev');
  const found = await session.admin.find(id);
  if (found === undefined) return answerFor('not-found', id);
  if (found.rev !== rev) return changed(id);
  return { id, rev, found, payload: editedPayload(body['payload'], found.lifted?.payload ?? found.payload, session.redact) };
}
