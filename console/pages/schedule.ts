import { html } from 'hono/html';
import type { ScheduleView } from '../../shared/features/schedules/admin/schedules.ts';
import { RowUnreadableError } from '../../shared/job/errors.ts';
import type { PreviewedOccurrence } from '../../shared/features/schedules/model/recurrence.ts';
import { payloadText } from '../jobs/payload-text.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { backfillSection } from '../parts/backfill-parts.ts';
import { codeBlock, inTerminal } from '../parts/copy.ts';
import { facts, section } from '../parts/facts.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { scheduleEditor } from '../parts/schedule-editor.ts';
import { deleteButton, recurrenceText, scheduleButtons, schedulePill } from '../parts/schedule-parts.ts';
import { table } from '../parts/table.ts';
import { duration, when } from '../parts/times.ts';

const NEXT_RUNS = 10;
const MARKS: Readonly<Record<NonNullable<PreviewedOccurrence['mark']>, string>> = {
  'gap-shifted': 'moved: the clocks skip its time that day',
  first: 'the first of two: the clocks repeat its time that day',
  second: 'the second of two: the clocks repeat its time that day',
};

/** One schedule with its next runs. */
export const schedulePage: Page = {
  path: '/schedules/:name',
  title: 'Schedule',
  live: true,
  render: async (request) => {
    const name = request.params['name'] ?? '';
    const schedule = await scheduleOf(request, name);
    if (schedule === 'unreadable') return damaged(name);
    if (schedule === undefined) {
      const text = html`It was deleted, or it never existed. ${link('/schedules', 'All schedules')}`;
      return { main: emptyState(`There is no schedule ${name}.`, text), missing: true };
    }
    const runs = (await request.admin.schedules.preview(name, { count: NEXT_RUNS, from: new Date(request.now()) })) ?? [];
    const payload = payloadText(schedule.definition.payload, request.redact).text;
    const main = html`${schedule.paused === undefined ? '' : pausedNotice(request, schedule.paused)}
      <div class="buttons">
        ${scheduleButtons(request, schedule)} ${deleteButton(request, schedule)} ${link(href(['jobs'], { schedule: name }), 'Its jobs')}
      </div>
      ${section('what', name, html`${factsOf(request, schedule)}${scheduleEditor(request, schedule, payload)}`)}
      ${section('next-runs', `Next ${NEXT_RUNS} runs by its recurrence`, runsTable(request, schedule, runs))}
      ${section('payload', 'Payload of each run', codeBlock(payload, 'Payload'))} ${await backfillSection(request, name)}
      ${inTerminal(request, ['schedules', 'show', name], ['schedules', schedule.paused === undefined ? 'pause' : 'resume', name], ['schedules', 'run-now', name])}`;
    return { main, about: name };
  },
};

async function scheduleOf({ admin }: PageRequest, name: string): Promise<ScheduleView | 'unreadable' | undefined> {
  try {
    return await admin.schedules.get(name);
  } catch (error) {
    if (error instanceof RowUnreadableError) return 'unreadable';
    throw error;
  }
}

function damaged(name: string): Html {
  return html`${notice('warn', `The row of ${name} is not a schedule`, 'It cannot be read and does not fire. Put the schedule again, or deploy the code that declares it. Jobs that it started continue.')}
    <p>${link(href(['jobs'], { schedule: name }), 'Its jobs')} ${link('/schedules', 'All schedules')}</p>`;
}

function pausedNotice(request: PageRequest, { at, reason, actor }: NonNullable<ScheduleView['paused']>): Html {
  const who = html`Since ${when(at, request)}${actor === undefined ? '' : `, by ${actor}`}.
  ${reason === undefined ? 'No reason was given.' : `Reason: ${reason}`}`;
  return notice('warn', 'Paused: no new occurrence starts', who);
}

function factsOf(request: PageRequest, schedule: ScheduleView): Html {
  const { definition, origin, next } = schedule;
  const { dst, exclude = [], from, until } = definition.recurrence;
  return facts([
    ['State', schedulePill(schedule)],
    ['Job type', definition.type],
    ['Worker', definition.worker],
    ['Recurs', recurrenceText(definition.recurrence)],
    ['Daylight saving', dst === undefined ? undefined : JSON.stringify(dst)],
    ['No run before', from === undefined ? undefined : when(new Date(from), request)],
    ['No run after', until === undefined ? undefined : when(new Date(until), request)],
    ['Excluded days', exclude.length === 0 ? undefined : exclude.join(', ')],
    ['Next occurrence', next === undefined ? undefined : html`${jobLink(next.id)} due ${when(next.dueAt, request)}`],
    ['Last occurrence', when(schedule.lastAt, request)],
    ['Runs', `${schedule.runs}${definition.maxRuns === undefined ? '' : ` of ${definition.maxRuns}`}`],
    ['Fired ahead of their time', schedule.firedAhead === 0 ? undefined : schedule.firedAhead],
    ['Missed', schedule.missed],
    ['Skipped', schedule.skipped],
    ['When missed', definition.missed],
    ['When the last one still runs', definition.overlap],
    ['Jitter', definition.jitterMs === 0 ? undefined : duration(definition.jitterMs)],
    ['Tenant', definition.tenant],
    ['Group', definition.group],
    ['Priority', definition.priority],
    ['Retry', definition.retry],
    ['Declared by', origin === 'code' ? 'code: a deployment brings it back as it was declared' : 'an operator'],
    ['Created', when(schedule.createdAt, request)],
  ]);
}

function runsTable(request: PageRequest, { definition }: ScheduleView, runs: readonly PreviewedOccurrence[]): Html {
  const zone = definition.recurrence.zone ?? 'UTC';
  const rows = runs.map(({ at, wall, mark }) => ({
    cells: [when(at, request), html`${wall.replace('T', ' ')} ${mark === undefined ? '' : html`<span class="hint">${MARKS[mark]}</span>`}`],
  }));
  const columns = [{ label: `When (${request.zone})` }, { label: `By its own clock (${zone})` }];
  const empty = emptyState('It has no further occurrences.', 'Its recurrence has ended.');
  return table({ id: 'runs', caption: 'Next runs', columns, rows, empty });
}
