import { html } from 'hono/html';
import { fieldValues } from '../../operate/schedule-fields.ts';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import type { Html, Session } from '../page.ts';
import { actionForm } from './action-button.ts';
import { scheduleInputs } from './schedule-fields.ts';

/** The form that changes a schedule which an operator made. `payload` is what the page shows of it; hidden fields keep their values. */
export function scheduleEditor(session: Session, { name, hash, origin, definition }: ScheduleView, payload: string): Html {
  if (!session.write) return html``;
  if (origin === 'code') return html`<p class="hint">Code declares this schedule: change it there and deploy.</p>`;
  const inside = html`<p class="hint">A change of its times or jitter starts the sequence over; one of its excluded days alone does not.</p>
    ${scheduleInputs(fieldValues(definition), definition.recurrence.cron === undefined ? 'cron' : 'every')}
    <label>Payload of each run<textarea name="payload" rows="8" spellcheck="false" autocomplete="off">${payload}</textarea></label>
    <label>Why, for the audit<input name="reason" maxlength="256" autocomplete="off" /></label>`;
  return html`<details id="edit-schedule" class="edit">
    <summary>Edit</summary>
    ${actionForm(session, { action: 'schedule-edit', label: 'Save the schedule', body: { name, hash } }, inside)}
  </details>`;
}
