import { html } from 'hono/html';
import type { JobTimeline } from '../../operate/timeline.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { Html, Session } from '../page.ts';
import { actionForm } from '../parts/action-button.ts';
import { codeBlock } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { when } from '../parts/times.ts';
import { LIMITS, utf8Bytes } from '../../shared/job/size-limits.ts';
import { type PayloadText, payloadText } from './payload-text.ts';
import { visible } from './visible-text.ts';

const EDITABLE = new Set(['waiting', 'parked', 'ready', 'suspended', 'dead']);

/** The payload of a job as text, and the form to edit it. */
export function payloadPanel(session: Session, job: JobView): Html {
  if (job.payload === undefined) {
    const why =
      job.state === 'finished' ? 'History keeps the payloads of finished jobs only at level full.' : 'Its row has no readable payload.';
    return section('payload', 'Payload', html`<p class="hint">${why}</p>`);
  }
  const lifted = job.lifted?.payload === undefined ? undefined : payloadText(job.lifted.payload, session.redact);
  if (job.codec !== undefined) return encodedPanel(session, { ...job, codec: job.codec }, lifted);
  const { text, hidden, readable } = payloadText(job.payload, session.redact);
  return section(
    'payload',
    'Payload',
    html`${readable ? '' : html`<p class="hint">This is not valid JSON.</p>`}
    ${hidden ? html`<p class="hint">Some fields are hidden (option redact). An edit keeps their values.</p>` : ''}
    ${codeBlock(text, 'Payload')} ${liftedBlock(job, lifted)} ${editorIf(session, job, lifted?.text ?? text)}`,
  );
}

/** An encoded payload, decoded where this session has its codec; only there it can be edited. */
function encodedPanel(session: Session, job: JobView & { readonly codec: string }, lifted: PayloadText | undefined): Html {
  const { claim } = job;
  const problem = job.lifted?.problem;
  const why = job.lifted === undefined ? 'This console has no job type with its codec.' : problem;
  return section(
    'payload',
    'Payload',
    html`<p class="hint">It is encoded by ${visible(job.codec)}.${why === undefined ? '' : ` ${visible(why)}`}</p>
      ${claim === undefined ? '' : html`<p class="hint">It is in the payload store: ${claim.bytes} bytes, as ${visible(claim.key)}.</p>`}
      ${lifted === undefined ? '' : decodedBlock(session, job, lifted)}`,
  );
}

/** What is larger than a row's payload is neither shown nor edited: a browser would stand still, and the console takes no such body. */
function decodedBlock(session: Session, job: JobView, { text, hidden }: PayloadText): Html {
  if (utf8Bytes(job.lifted?.payload ?? '') > LIMITS.payloadBytes) {
    return html`<p class="hint">
      It is too large to be shown and edited here. <code>admin.find</code> of a session with its job type reads it.
    </p>`;
  }
  return html`${hidden ? html`<p class="hint">Some fields are hidden (option redact). An edit keeps their values.</p>` : ''}
  ${codeBlock(text, 'Decoded payload')} ${editorIf(session, job, text)}`;
}

function editorIf(session: Session, job: JobView, text: string): Html {
  return EDITABLE.has(job.state) && job.raw === undefined && session.write ? editor(session, job, text) : html``;
}

/** The payload in the version of the code, where this session knows it; what is edited is that. */
function liftedBlock({ schemaVersion = 1, lifted }: JobView, text: PayloadText | undefined): Html {
  if (lifted === undefined) return html``;
  const versions = `It is stored in version ${schemaVersion}; the job type has version ${lifted.schemaVersion}.`;
  if (text === undefined) return html`<p class="hint">${versions} ${visible(lifted.problem ?? '')}</p>`;
  return html`<p class="hint">${versions} Its handler gets this:</p>
    ${codeBlock(text.text, 'Lifted payload')}`;
}

/** The state that its handler left for the next run, if any. */
export function handlerStatePanel(session: Session, { handlerState, codec }: JobView): Html {
  if (handlerState === undefined) return html``;
  if (codec !== undefined) {
    return section('handler-state', 'State that an earlier run left', html`<p class="hint">It is encoded by ${visible(codec)}.</p>`);
  }
  const { text } = payloadText(handlerState, session.redact);
  return section('handler-state', 'State that an earlier run left', codeBlock(text, 'Handler state'));
}

/** What its handler gave back, as long as it is kept. */
export function resultPanel(session: Session, result: JobTimeline['result']): Html {
  if (result === undefined) return html``;
  const { text } = payloadText(result.json, session.redact);
  return section(
    'result',
    'Result',
    html`<p class="hint">Kept until ${when(result.until, session)}</p>
      ${codeBlock(text, 'Result')}`,
  );
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
