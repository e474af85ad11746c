import { html } from 'hono/html';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Html, Session } from '../page.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { statePill } from '../parts/pills.ts';
import { type Cell, type Column, table } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { visible } from './visible-text.ts';

interface Shown {
  readonly column: Column;
  readonly cell: (job: JobView, session: Session) => Cell;
}

const text = (label: string, of: (job: JobView) => Cell): Shown => ({ column: { label }, cell: of });
const time = (label: string, of: (job: JobView) => Date | undefined): Shown => ({
  column: { label },
  cell: (job, session) => when(of(job), session),
});
const count = (label: string, of: (job: JobView) => number): Shown => ({ column: { label, kind: 'number' }, cell: of });

const ID = text('Job', (job) => jobLink(job.id));
const TYPE = text('Type', (job) => link(href(['jobs'], { state: job.state, type: job.type }), job.type));
const ATTEMPTS = count('Attempts', (job) => job.attempts);
const WHOSE = text('Tenant, group', (job) => named([job.tenant, job.group]));
const ERROR = text('Error', (job) => errorCell(job));
const DUE = time('Due', (job) => job.dueAt);
const LANE = text('Worker', (job) => (job.lane === 'default' ? job.worker : `${job.worker}, ${job.lane}`));

/** The columns of jobs in one state. */
const COLUMNS: Readonly<Record<JobState, readonly Shown[]>> = {
  ready: [ID, TYPE, DUE, LANE, WHOSE, ATTEMPTS, ERROR],
  running: [ID, TYPE, DUE, time('Lease until', (job) => job.lockExpiresAt), text('Progress', progress), WHOSE, ATTEMPTS],
  waiting: [ID, TYPE, DUE, text('Schedule', scheduleCell), WHOSE, ATTEMPTS, ERROR],
  parked: [ID, TYPE, time('Parked', (job) => job.parkedAt), text('Limit', (job) => job.limit), WHOSE, ATTEMPTS],
  suspended: [ID, TYPE, time('Suspended', (job) => job.suspendedAt), text('Cause', causeCell), WHOSE, ATTEMPTS],
  dead: [ID, TYPE, time('Failed', (job) => job.failedAt), ERROR, text('Reason', (job) => job.reason), WHOSE, ATTEMPTS],
  finished: [ID, TYPE, time('Finished', (job) => job.finishedAt), text('Outcome', (job) => job.outcome), WHOSE, ATTEMPTS],
};
const MIXED: readonly Shown[] = [ID, text('State', (job) => statePill(job.state)), TYPE, DUE, WHOSE, ATTEMPTS, ERROR];

/** A page of jobs. `select`: its rows can be chosen for an action. */
export function jobTable(
  session: Session,
  jobs: readonly JobView[],
  { id, state, select, empty }: { readonly id: string; readonly state: JobFilter['state']; readonly select: boolean; readonly empty: Html },
): Html {
  const states = [state ?? []].flat();
  const [only] = states;
  const shown = only !== undefined && states.length === 1 ? COLUMNS[only] : MIXED;
  return table({
    id,
    caption: only !== undefined && states.length === 1 ? `Jobs that are ${only}` : 'Jobs',
    columns: shown.map(({ column }) => column),
    rows: jobs.map((job) => ({
      cells: shown.map(({ cell }) => cell(job, session)),
      href: href(['jobs', job.id]),
      ...(select ? { select: job.id } : {}),
    })),
    empty,
  });
}

/** An empty list, with its meaning and possible actions. */
export function noJobs(filter: JobFilter, more: boolean): Html {
  const fields = Object.keys(filter).filter((name) => name !== 'state');
  if (more) return emptyState('Nothing on this page.', 'Not everything was read yet. Go to the next page, or allow more read units.');
  if (fields.length > 0) return emptyState('No job matches.', html`Remove a field, or <a href="/jobs">show all jobs</a>.`);
  return emptyState(...EMPTY[[filter.state ?? []].flat()[0] ?? 'all']);
}

const EMPTY: Readonly<Record<JobState | 'all', readonly [string, string]>> = {
  all: ['There are no jobs.', 'Enqueued jobs appear here; finished jobs are under Finished for as long as History keeps them.'],
  ready: ['No job is in a queue.', 'Jobs that are due and not yet claimed appear here.'],
  running: ['No job is running.', 'Jobs that an executor holds appear here.'],
  waiting: ['No timers.', 'Jobs that are due later, and later retries, appear here.'],
  parked: ['No job waits for a limit.', 'Jobs that wait for a slot of a limit appear here.'],
  suspended: ['Nothing is suspended.', 'Jobs of a suspended type, tenant or group appear here, and jobs without a handler.'],
  dead: ['No dead letters.', 'Jobs that failed for good appear here. There is nothing to do.'],
  finished: ['There are no finished jobs.', 'Finished jobs appear here for as long as History keeps them. History may be off.'],
};

function errorCell({ error }: JobView): Cell {
  if (error === undefined) return undefined;
  return html`<span class="error-text" title="${visible(error.message)}"
    ><strong>${visible(error.name)}</strong> ${visible(short(error.message))}</span
  >`;
}

function causeCell({ cause, reason }: JobView): Cell {
  if (cause === undefined) return undefined;
  return reason === undefined ? cause : html`${cause} <span class="hint">${short(reason)}</span>`;
}

function scheduleCell({ schedule, failures }: JobView): Cell {
  if (schedule !== undefined) return link(href(['schedules', schedule]), schedule);
  return failures > 0 ? 'retry' : undefined;
}

function progress({ progress: percent, progressText, cancelRequested }: JobView): Cell {
  if (cancelRequested === true) return 'asked to stop';
  if (percent === undefined && progressText === undefined) return undefined;
  return [percent === undefined ? '' : `${percent} %`, progressText ?? ''].join(' ').trim();
}

function named(values: readonly (string | undefined)[]): Cell {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : given.join(', ');
}

/** Enough of a message to recognize it. */
export function short(message: string): string {
  return message.length > 120 ? `${message.slice(0, 119)}…` : message;
}
