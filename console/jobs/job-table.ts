import { html } from 'hono/html';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Html, Session } from '../page.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { statePill } from '../parts/pills.ts';
import { type Cell, list, type ListColumn } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { visible } from './visible-text.ts';

type JobColumn = ListColumn<JobView>;

const ID: JobColumn = ['Job', ({ id }) => jobLink(id)];
const TYPE: JobColumn = ['Type', ({ state, type }) => link(href(['jobs'], { state, type }), type)];
const ATTEMPTS: JobColumn = ['Attempts', ({ attempts }) => attempts, 'number'];
const WHOSE: JobColumn = ['Tenant, group', ({ tenant, group }) => named([tenant, group])];
const ERROR: JobColumn = ['Error', errorCell];

/** The columns of jobs in one state, or in several. */
function columnsOf(session: Session, state: JobState | 'several'): readonly JobColumn[] {
  const time = (label: string, of: (job: JobView) => Date | undefined): JobColumn => [label, (job) => when(of(job), session)];
  const due = time('Due', ({ dueAt }) => dueAt);
  const columns: Readonly<Record<typeof state, readonly JobColumn[]>> = {
    ready: [due, ['Worker', ({ worker, lane }) => (lane === 'default' ? worker : `${worker}, ${lane}`)], WHOSE, ATTEMPTS, ERROR],
    running: [due, time('Lease until', ({ lockExpiresAt }) => lockExpiresAt), ['Progress', progress], WHOSE, ATTEMPTS],
    waiting: [due, ['Schedule', scheduleCell], WHOSE, ATTEMPTS, ERROR],
    parked: [time('Parked', ({ parkedAt }) => parkedAt), ['Limit', ({ limit }) => limit], WHOSE, ATTEMPTS],
    suspended: [time('Suspended', ({ suspendedAt }) => suspendedAt), ['Cause', causeCell], WHOSE, ATTEMPTS],
    dead: [time('Failed', ({ failedAt }) => failedAt), ERROR, ['Reason', ({ reason }) => reason], WHOSE, ATTEMPTS],
    finished: [time('Finished', ({ finishedAt }) => finishedAt), ['Outcome', ({ outcome }) => outcome], WHOSE, ATTEMPTS],
    several: [due, WHOSE, ATTEMPTS, ERROR],
  };
  const first: readonly JobColumn[] = state === 'several' ? [ID, ['State', (job) => statePill(job.state)], TYPE] : [ID, TYPE];
  return [...first, ...columns[state]];
}

/** A page of jobs. `select`: its rows can be chosen for an action. */
export function jobTable(
  session: Session,
  jobs: readonly JobView[],
  { id, state, select, empty }: { readonly id: string; readonly state: JobFilter['state']; readonly select: boolean; readonly empty: Html },
): Html {
  const [only = 'several', ...others] = [state ?? []].flat();
  const shown = others.length === 0 ? only : 'several';
  return list({
    id,
    caption: shown === 'several' ? 'Jobs' : `Jobs that are ${shown}`,
    items: jobs,
    columns: columnsOf(session, shown),
    href: (job) => href(['jobs', job.id]),
    select: select ? (job) => job.id : undefined,
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
