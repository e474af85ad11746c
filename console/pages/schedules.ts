import { html } from 'hono/html';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import { defined } from '../../shared/job/defined.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { scheduleMaker } from '../parts/schedule-maker.ts';
import { recurrenceText, scheduleButtons, schedulePill } from '../parts/schedule-parts.ts';
import { list, type ListColumn } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import type { Page, PageRequest } from '../page.ts';

const LIMIT = 100;

/** Recurring schedules by name. */
export const schedulesPage: Page = {
  path: '/schedules',
  title: 'Schedules',
  nav: { label: 'Schedules', key: 's' },
  live: true,
  render: async (request) => {
    const after = request.query.get('after') ?? undefined;
    const { schedules, unreadable, after: next } = await request.admin.schedules.list({ limit: LIMIT, ...defined({ after }) });
    const empty = emptyState(
      'There are no schedules.',
      html`Declare one with <code>defineSchedule</code> and give it to the <code>JobExecutor</code>, or make one here, with the command line
        or with <code>admin.schedules.put</code>.`,
    );
    const listed = list({ id: 'schedules', caption: 'Schedules', items: schedules, columns: columnsOf(request), href: pageOf, empty });
    return html`${
      unreadable.length === 0
        ? ''
        : notice(
            'warn',
            'Rows that are not schedules',
            `They are left out and do not fire: ${unreadable.join(', ')}. Put each of them again, or delete it.`,
          )
    }
    ${section('schedules-rows', 'By name', listed)} ${scheduleMaker(request)} ${pager('/schedules', request.query, next)}
    ${inTerminal(request, ['schedules', 'list'])}`;
  },
};

const pageOf = ({ name }: ScheduleView): string => href(['schedules', name]);

function columnsOf(request: PageRequest): readonly ListColumn<ScheduleView>[] {
  return [
    ['Schedule', (one) => html`${link(pageOf(one), one.name)}<br /><span class="hint">${one.type}</span>`],
    ['State', (one) => schedulePill(one)],
    ['Recurs', (one) => recurrenceText(one.definition.recurrence)],
    [`Next (${request.zone})`, (one) => when(one.next?.at, request)],
    [`Last (${request.zone})`, (one) => when(one.lastAt, request)],
    ['Runs', (one) => one.runs, 'number'],
    ['Missed', (one) => one.missed, 'number'],
    ['Skipped', (one) => one.skipped, 'number'],
    ['', (one) => html`${scheduleButtons(request, one)}`, 'actions'],
  ];
}
