import { html } from 'hono/html';
import { type FieldValues, SCHEDULE_FIELDS, type ScheduleField } from '../../operate/schedule-fields.ts';
import { isoDuration } from '../../shared/job/duration.ts';
import { iso } from '../../shared/job/instant.ts';
import type { Html } from '../page.ts';

/** The inputs of a schedule's fields, filled in with their values. A text that has a value and may not be empty is required. */
export function scheduleInputs(values: FieldValues, leftOut?: 'cron' | 'every'): Html {
  const fields = SCHEDULE_FIELDS.filter(({ name }) => name !== leftOut);
  return html`${fields.map((field) => (field.kind === 'choice' ? choice(field, values) : input(field, values)))}`;
}

function input({ name, kind, label, placeholder = '', optional }: ScheduleField, values: FieldValues): Html {
  const value = values[name];
  const type = kind === 'whole' ? html`type="number" min="1" step="1"` : html`placeholder="${placeholder}"`;
  const required = optional !== true && value !== undefined ? html`required` : '';
  return html`<label>${label}<input name="${name}" value="${textOf(kind, value)}" ${type} ${required} autocomplete="off" /></label>`;
}

function choice({ name, label, choices = [], optional }: ScheduleField, values: FieldValues): Html {
  const options = choices.map((one) => html`<option value="${one}" ${one === values[name] ? html`selected` : ''}>${one}</option>`);
  return html`<label
    >${label}<select name="${name}">
      ${optional === true ? html`<option value="">default</option>` : ''} ${options}
    </select></label
  >`;
}

/** A value as people type it. */
function textOf(kind: ScheduleField['kind'], value: FieldValues[keyof FieldValues]): string {
  if (typeof value === 'object') return value.join(', ');
  if (typeof value !== 'number') return value ?? '';
  return kind === 'instant' ? iso(value).replace('.000Z', 'Z') : kind === 'duration' ? isoDuration(value) : String(value);
}
