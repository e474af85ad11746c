import { html } from 'hono/html';
import { defined } from '../../shared/job/defined.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { scheduleMaker } from '../parts/schedule-maker.ts';
import { recurrenceText, scheduleButtons, schedulePill } from '../parts/schedule-parts.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import type { Page } from '../page.ts';

const LIMIT = 100;
const columnsIn = (zone: string) =>
  [
    { label: 'Schedule' },
    { label: 'State' },
    { label: 'Recurs' },
    { label: `Next (${zone})` },
    { label: `Last (${zone})` },
    { label: 'Runs', kind: 'number' },
    { label: 'Missed', kind: 'number' },
    { label: 'Skipped', kind: 'number' },
    { label: '', kind: 'actions' },
  ] as const;

/** Recurring schedules by name. */
export const schedulesPage: Page = {
  path: '/schedules',
  title: 'Schedules',
  nav: { label: 'Schedules', key: 's' },
  live: true,
  render: async (request) => {
    const after = request.query.get('after') ?? undefined;
    const { schedules, unreadable, after: next } = await request.admin.schedules.list({ limit: LIMIT, ...defined({ after }) });
    const rows = schedules.map((one) => ({
      href: href(['schedules', one.name]),
      cells: [
        html`${link(href(['schedules', one.name]), one.name)}<br /><span class="hint">${one.type}</span>`,
        schedulePill(one),
        recurrenceText(one.definition.recurrence),
        when(one.next?.at, request),
        when(one.lastAt, request),
        one.runs,
        one.missed,
        one.skipped,
        html`${scheduleButtons(request, one)}`,
      ],
    }));
    const empty = emptyState(
      'There are no schedules.',
      html`Declare one with <code>defineSchedule</code> and give it to the <code>JobExecutor</code>, or make one here, with the command line
        or with <code>admin.schedules.put</code>.`,
    );
    return html`${
      unreadable.length === 0
        ? ''
        : notice(
            'warn',
            'Rows that are not schedules',
            `They are left out and do not fire: ${unreadable.join(', ')}. Put each of them again, or delete it.`,
          )
    }
    ${section('schedules-rows', 'By name', table({ id: 'schedules', caption: 'Schedules', columns: columnsIn(request.zone), rows, empty }))}
    ${scheduleMaker(request)} ${pager('/schedules', request.query, next)} ${inTerminal(request, ['schedules', 'list'])}`;
  },
};
