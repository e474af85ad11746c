import { html } from 'hono/html';
import type { JobView } from '../../shared/admin/jobs/job-view.ts';
import type { Html, Session } from '../page.ts';
import { actionForm } from '../parts/action-button.ts';
import { codeBlock } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { payloadText } from './payload-text.ts';

const EDITABLE = new Set(['waiting', 'parked', 'ready', 'suspended', 'dead']);

/** What a job was given, as text, and the form that changes it. */
export function payloadPanel(session: Session, job: JobView): Html {
  if (job.payload === undefined) {
    const why =
      job.state === 'finished' ? 'History keeps the payloads of finished jobs only at level full.' : 'Its row has no readable payload.';
    return section('payload', 'Payload', html`<p class="hint">${why}</p>`);
  }
  const { text, hidden, readable } = payloadText(job.payload, session.redact);
  return section(
    'payload',
    'Payload',
    html`${readable ? '' : html`<p class="hint">This is not valid JSON.</p>`}
    ${hidden ? html`<p class="hint">Some fields are hidden (option redact). An edit keeps their values.</p>` : ''}
    ${codeBlock(text, 'Payload')} ${EDITABLE.has(job.state) && job.raw === undefined && session.write ? editor(session, job, text) : ''}`,
  );
}

/** What its handler left for the next run, if it did. */
export function handlerStatePanel(session: Session, { handlerState }: JobView): Html {
  if (handlerState === undefined) return html``;
  const { text } = payloadText(handlerState, session.redact);
  return section('handler-state', 'State that an earlier run left', codeBlock(text, 'Handler state'));
}

function editor(session: Session, { id, rev, state }: JobView, text: string): Html {
  const dead = state === 'dead';
  const inside = html`<p class="hint">
      Group, key and priority were computed when it was enqueued and stay. If the job has changed since it was shown here, it is not edited.
      The payload is checked as JSON, and against the schema of its type only by an admin that was given the job types. The old payload is
      not kept: copy it first.
    </p>
    <label>Payload<textarea name="payload" rows="12" spellcheck="false" autocomplete="off">${text}</textarea></label>
    <div class="code" hidden data-changes><pre tabindex="0" aria-label="Changed lines"></pre></div>
    <label>Why, for the audit<input name="reason" maxlength="256" autocomplete="off" /></label>
    ${dead ? html`<label><input type="checkbox" name="keep" /> Save only, redrive later</label>` : ''}`;
  const form = {
    action: dead ? 'redrive-with-payload' : 'edit-payload',
    label: dead ? 'Redrive with this payload' : 'Save the payload',
    body: { id, rev },
  };
  return html`<details id="edit-payload" class="edit">
    <summary>${dead ? 'Edit and redrive' : 'Edit'}</summary>
    ${actionForm(session, form, inside)}
  </details>`;
}
