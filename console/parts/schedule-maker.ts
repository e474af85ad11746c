import { html } from 'hono/html';
import { MISSED_POLICIES, OVERLAP_POLICIES } from '../../shared/features/schedules/model/definition.ts';
import type { Html, Session } from '../page.ts';
import { actionForm } from './action-button.ts';
import { choice } from './schedule-editor.ts';

/** The form that makes a schedule; empty fields are left out. */
export function scheduleMaker(session: Session): Html {
  if (!session.write) return html``;
  const inside = html`<p class="hint">A name that is taken is refused. Code that declares a schedule of this name later takes it over.</p>
    <label>Name<input name="name" placeholder="daily-report" required autocomplete="off" /></label>
    <label>Job type<input name="type" required autocomplete="off" /></label>
    <label>Its worker, if several have the type<input name="worker" autocomplete="off" /></label>
    <label>Cron expression<input name="cron" placeholder="30 2 * * *" autocomplete="off" /></label>
    <label>Or every<input name="every" placeholder="PT20M" autocomplete="off" /></label>
    <label>Time zone<input name="zone" value="UTC" required autocomplete="off" /></label>
    ${choice('When missed', 'missed', MISSED_POLICIES, 'coalesce')}
    ${choice('When the last one still runs', 'overlap', OVERLAP_POLICIES, 'allow')}
    <label>Excluded days<input name="exclude" placeholder="SAT, SUN, 12-25, 2026-12-24/2027-01-02" autocomplete="off" /></label>
    <label>Tenant of its runs<input name="tenant" autocomplete="off" /></label>
    <label>Payload of each run<textarea name="payload" rows="4" spellcheck="false" autocomplete="off">{}</textarea></label>
    <label>Version of its payload, if not the first<input type="number" name="schemaVersion" min="1" step="1" autocomplete="off" /></label>
    <label>Why, for the audit<input name="reason" maxlength="256" autocomplete="off" /></label>`;
  return html`<details id="make-schedule" class="edit">
    <summary>Make a schedule</summary>
    ${actionForm(session, { action: 'schedule-make', label: 'Make the schedule' }, inside)}
  </details>`;
}
