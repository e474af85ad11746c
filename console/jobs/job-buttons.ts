import { html } from 'hono/html';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Html, Session } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { fieldsForOne, statesOf, VERBS } from './verb-fields.ts';

/** The buttons for a job's state; each asks for confirmation. */
export function jobButtons(session: Session, job: JobView): Html {
  const unreadable = job.state === 'dead' && job.reason === 'unreadable';
  // Every verb would only report that the row is unreadable.
  if (job.raw !== undefined && !unreadable) return html``;
  const fitting = VERBS.filter(
    (verb) =>
      statesOf(verb).includes(job.state) &&
      (!unreadable || verb.actsOnUnreadable === true || (job.readable === true && verb.name === 'redrive')),
  );
  if (fitting.length === 0) return html``;
  return html`<div class="buttons">${fitting.map((verb) => jobButton(session, verb, job))}</div>`;
}

function jobButton(session: Session, verb: JobVerb, { id }: JobView): Html {
  const { label, action, confirm, danger } = verb.button;
  return actionButton(session, { label: `${label}…`, action, body: { id }, fields: fieldsForOne(verb), ...defined({ confirm, danger }) });
}
