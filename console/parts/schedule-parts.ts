import { html } from 'hono/html';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import type { Html, Session } from '../page.ts';
import { SCHEDULE_VERBS } from '../../operate/schedule-verbs.ts';
import { WHY } from '../jobs/verb-fields.ts';
import { actionButton } from './action-button.ts';
import { pill } from './pills.ts';

type Recurrence = ScheduleView['definition']['recurrence'];

/** A recurrence in words: its expression and its zone. */
export function recurrenceText({ cron, every, zone }: Recurrence): Html {
  const what = cron === undefined ? html`every <code>${String(every)}</code>` : html`<code>${cron}</code>`;
  return html`${what} <span class="hint">${zone ?? 'UTC'}</span>`;
}

/** Whether it is active or paused. */
export function schedulePill({ paused, next }: Pick<ScheduleView, 'paused' | 'next'>): Html {
  if (paused !== undefined) return pill('paused', 'warn');
  return next === undefined ? pill('at its end', 'plain') : pill('on', 'good');
}

/** Removes a schedule that an operator made; one of the code comes back with each deployment, so it is not offered there. */
export function deleteButton(session: Session, { name, origin }: Pick<ScheduleView, 'name' | 'origin'>): Html {
  if (origin === 'code') return html``;
  return actionButton(session, {
    label: 'Delete…',
    action: 'schedule-delete',
    body: { name },
    danger: true,
    bulk: true,
    confirm: `Removes ${name} for good. Running jobs continue; occurrences that were fired ahead do not start.`,
    fields: [WHY],
  });
}

/** The verbs that can change a schedule as it is. */
export function scheduleButtons(session: Session, schedule: Pick<ScheduleView, 'name' | 'paused'>): Html {
  const { name } = schedule;
  const buttons = SCHEDULE_VERBS.filter(({ acts }) => acts(schedule)).map(({ name: verb, button: { label, confirm }, why }) =>
    actionButton(session, {
      label,
      action: `schedule-${verb}`,
      body: { name },
      confirm: confirm(name),
      fields: [why === undefined ? WHY : { ...WHY, hint: why.hint }],
    }),
  );
  return html`${buttons.map((button) => html`${button} `)}`;
}
