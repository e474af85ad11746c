import { html } from 'hono/html';
import { MISSED_POLICIES, OVERLAP_POLICIES } from '../../shared/features/schedules/model/definition.ts';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import type { Html, Session } from '../page.ts';
import { actionForm } from './action-button.ts';

/** The form that changes a schedule which an operator made. `payload` is what the page shows of it; hidden fields keep their values. */
export function scheduleEditor(session: Session, { name, hash, origin, definition }: ScheduleView, payload: string): Html {
  if (!session.write) return html``;
  if (origin === 'code') return html`<p class="hint">Code declares this schedule: change it there and deploy.</p>`;
  const { cron, every, zone, exclude = [] } = definition.recurrence;
  const recurs = cron === undefined ? 'every' : 'cron';
  const inside = html`<p class="hint">Other times start the sequence over; other excluded days alone do not.</p>
    <label
      >${recurs === 'cron' ? 'Cron expression' : 'Every'}<input
        name="${recurs}"
        value="${String(cron ?? every)}"
        required
        autocomplete="off"
    /></label>
    <label>Time zone<input name="zone" value="${zone ?? 'UTC'}" required autocomplete="off" /></label>
    ${choice('When missed', 'missed', MISSED_POLICIES, definition.missed)}
    ${choice('When the last one still runs', 'overlap', OVERLAP_POLICIES, definition.overlap)}
    <label
      >Excluded days<input
        name="exclude"
        value="${exclude.join(', ')}"
        placeholder="SAT, SUN, 12-25, 2026-12-24/2027-01-02"
        autocomplete="off"
    /></label>
    <label>Tenant of its runs<input name="tenant" value="${definition.tenant ?? ''}" autocomplete="off" /></label>
    <label>Payload of each run<textarea name="payload" rows="8" spellcheck="false" autocomplete="off">${payload}</textarea></label>
    <label>Why, for the audit<input name="reason" maxlength="256" autocomplete="off" /></label>`;
  return html`<details id="edit-schedule" class="edit">
    <summary>Edit</summary>
    ${actionForm(session, { action: 'schedule-edit', label: 'Save the schedule', body: { name, hash } }, inside)}
  </details>`;
}

/** A choice among the policies of a schedule. */
export function choice(label: string, name: string, choices: readonly string[], chosen: string): Html {
  const options = choices.map((one) => html`<option value="${one}" ${one === chosen ? html`selected` : ''}>${one}</option>`);
  return html`<label
    >${label}<select name="${name}">
      ${options}
    </select></label
  >`;
}
