import { html } from 'hono/html';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import type { Html, Session } from '../page.ts';
import { actionButton } from './action-button.ts';
import { pill } from './pills.ts';

type Recurrence = ScheduleView['definition']['recurrence'];

/** A recurrence in words: its expression and its zone. */
export function recurrenceText({ cron, every, zone }: Recurrence): Html {
  const what = cron === undefined ? html`every <code>${String(every)}</code>` : html`<code>${cron}</code>`;
  return html`${what} <span class="hint">${zone ?? 'UTC'}</span>`;
}

/** Whether it goes on. */
export function schedulePill({ paused, next }: Pick<ScheduleView, 'paused' | 'next'>): Html {
  if (paused !== undefined) return pill('paused', 'warn');
  return next === undefined ? pill('at its end', 'plain') : pill('on', 'good');
}

/** What is done to a schedule. */
export function scheduleButtons(session: Session, { name, paused }: Pick<ScheduleView, 'name' | 'paused'>): Html {
  const runNow = actionButton(session, {
    label: 'Run now',
    action: 'schedule-run-now',
    body: { name },
    confirm: `Starts one more occurrence of ${name} at once. Its sequence is not disturbed.`,
  });
  const turn =
    paused === undefined
      ? actionButton(session, {
          label: 'Pause',
          action: 'schedule-pause',
          body: { name },
          confirm: `From now on nothing of ${name} starts; what runs goes on.`,
          fields: [{ name: 'reason', label: 'Why', hint: 'For operators who find it paused.' }],
        })
      : actionButton(session, {
          label: 'Resume',
          action: 'schedule-resume',
          body: { name },
          confirm: `${name} goes on; its missed policy decides about what passed meanwhile.`,
        });
  return html`${turn} ${runNow}`;
}
