import { html } from 'hono/html';
import type { Html, Session } from '../page.ts';
import { actionForm } from './action-button.ts';
import { scheduleInputs } from './schedule-fields.ts';

/** The form that makes a schedule; empty fields are left out. */
export function scheduleMaker(session: Session): Html {
  if (!session.write) return html``;
  const inside = html`<p class="hint">
      Give it a cron expression or a period. A name that is taken is refused; code that declares a schedule of this name later takes it
      over.
    </p>
    <label>Name<input name="name" placeholder="daily-report" required autocomplete="off" /></label>
    <label>Job type<input name="type" required autocomplete="off" /></label>
    <label>Its worker, if several have the type<input name="worker" autocomplete="off" /></label>
    ${scheduleInputs({ zone: 'UTC', missed: 'coalesce', overlap: 'allow' })}
    <label>Payload of each run<textarea name="payload" rows="4" spellcheck="false" autocomplete="off">{}</textarea></label>
    <label>Version of its payload, if not the first<input type="number" name="schemaVersion" min="1" step="1" autocomplete="off" /></label>
    <label>Why, for the audit<input name="reason" maxlength="256" autocomplete="off" /></label>`;
  return html`<details id="make-schedule" class="edit">
    <summary>Make a schedule</summary>
    ${actionForm(session, { action: 'schedule-make', label: 'Make the schedule' }, inside)}
  </details>`;
}
