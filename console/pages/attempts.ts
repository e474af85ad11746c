import { html } from 'hono/html';
import { ATTEMPT_ORDERS, type AttemptListOptions, type AttemptPage, type ListedAttempt } from '../../operate/attempts/attempt-filter.ts';
import { ATTEMPT_OUTCOMES } from '../../operate/attempts/check-attempts.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { plural } from '../../shared/job/plural.ts';
import { attemptQuery, attemptsCommand } from '../jobs/attempt-query.ts';
import { OUTCOME_TONES } from '../jobs/attempt-timeline.ts';
import { short } from '../jobs/job-table.ts';
import { visible } from '../jobs/visible-text.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { command } from '../parts/copy.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { pill } from '../parts/pills.ts';
import { list, type ListColumn } from '../parts/table.ts';
import { duration, inWords, when } from '../parts/times.ts';

const PAGE_SIZE = 50;
/** The most that a page may read: a fraction of a cent. */
const READ_UNITS = 1_000;

/** Attempts of all jobs that History keeps, behind one filter. */
export const attemptsPage: Page = { path: '/attempts', title: 'Attempts', nav: { label: 'Attempts', key: 't' }, render };

async function render(request: PageRequest): Promise<Html> {
  const found = await read(request);
  if ('problem' in found) return html`${form(request)} ${problemNotice(found.problem)}`;
  const { options, page } = found;
  return html`${form(request)} ${served(request, page)}
    ${list({ id: 'attempts', caption: 'Attempts', items: page.attempts, columns: columnsOf(request), href: ({ jobId }) => href(['jobs', jobId]), empty: nothing(page) })}
    ${pager('/attempts', request.query, page.next)}
    <h2 class="small">In the terminal</h2>
    ${command(request, ...attemptsCommand(options))}`;
}

interface Read {
  readonly options: AttemptListOptions;
  readonly page: AttemptPage;
}

async function read({ admin, query, now }: PageRequest): Promise<Read | { readonly problem: string }> {
  try {
    const options = attemptQuery(query, now());
    return { options, page: await admin.attempts({ ...options, limit: PAGE_SIZE, maxReadUnits: READ_UNITS }) };
  } catch (error) {
    if (error instanceof InvalidInputError) return { problem: error.message };
    throw error;
  }
}

function problemNotice(problem: string): Html {
  return notice(
    'warn',
    'This list cannot be shown',
    html`${problem} Correct the filter, or start again with <a href="/attempts">all attempts</a>.`,
  );
}

/** States what was read, so that attempts left out are not mistaken for absent ones. */
function served({ zone }: PageRequest, { attempts, order, readUnits, dueFrom, dueTo, next }: AttemptPage): Html {
  const part = order === 'slowest-first' && next !== undefined ? ' of what the read units of this page covered' : '';
  return html`<p class="served" id="served">
    ${attempts.length} ${plural(attempts.length, 'attempt')} on this page, ${order.replace('-', ' ')}${part}, of jobs first due from
    ${inWords(dueFrom, zone)} to ${inWords(dueTo, zone)}: ${readUnits.toLocaleString('en')} read units.
  </p>`;
}

function nothing({ next }: AttemptPage): Html {
  if (next !== undefined) return emptyState('Nothing on this page.', 'There may be more on the next one.');
  return emptyState(
    'No attempts.',
    'They are kept for types with the history level attempts, full or durable. Without a time the last day is searched; attempts of jobs that were first due earlier need an earlier “due from”.',
  );
}

function columnsOf(request: PageRequest): readonly ListColumn<ListedAttempt>[] {
  return [
    ['Started', ({ startedAt }) => when(startedAt, request)],
    // Without a break within the cell.
    ['Ran', ({ runMs }) => duration(runMs).replaceAll(' ', '\u00a0'), 'number'],
    [
      'Outcome',
      ({ outcome, reason = '' }) => html`${pill(outcome, OUTCOME_TONES[outcome] ?? 'plain')} <span class="hint">${visible(reason)}</span>`,
    ],
    ['Job', ({ jobId }) => jobLink(jobId)],
    [
      'Type and worker',
      ({ type, worker }) => html`${link(href(['attempts'], { type }), visible(type))} <span class="hint">${visible(worker)}</span>`,
    ],
    ['Error', errorOf],
    ['Attempt', ({ attempt }) => attempt, 'number'],
    ['Tenant', ({ tenant }) => (tenant === undefined ? undefined : visible(tenant))],
  ];
}

function errorOf({ error, fingerprint, outcome }: ListedAttempt): Html | undefined {
  if (error === undefined || fingerprint === undefined) return undefined;
  const group = outcome === 'dead-lettered' ? html` ${link(href(['dead-letters', fingerprint]), 'group')}` : '';
  return html`<a class="error-text" href="${href(['attempts'], { fingerprint })}" title="All attempts with this error"
      ><strong>${visible(error.name)}</strong></a
    >${group} <span class="message">${visible(short(error.message))}</span>`;
}

function form({ query }: PageRequest): Html {
  const said = (name: string): string => query.get(name) ?? '';
  const field = (name: string, label: string, hint = ''): Html =>
    html`<label>${label}<input name="${name}" value="${said(name)}" placeholder="${hint}" autocomplete="off" spellcheck="false" /></label>`;
  const choice = (name: string, label: string, options: readonly (readonly [value: string, label: string])[]): Html =>
    html`<label
      >${label}<select name="${name}">
        ${options.map(([value, text]) => html`<option value="${value}" ${said(name) === value ? 'selected' : ''}>${text}</option>`)}
      </select></label
    >`;
  const folded = ['worker', 'reason', 'errorName', 'fingerprint', 'dueFrom', 'dueTo'].some((name) => said(name) !== '');
  return html`<form class="filters job-filters" method="get" action="/attempts" role="search" aria-label="Filter attempts">
    <div class="filter-row">
      <label class="wide">Text in the error<input type="search" name="text" value="${said('text')}" data-search maxlength="200" /></label>
      ${field('type', 'Type')} ${field('tenant', 'Tenant')}
      ${choice('outcome', 'Outcome', [['', 'any'], ...ATTEMPT_OUTCOMES.map((one) => [one, one] as const)])}
      ${choice('hasError', 'Error', [
        ['', 'with or without'],
        ['true', 'with an error'],
        ['false', 'without'],
      ])}
      ${field('from', 'Ended from', '2h, or an instant')} ${field('to', 'before', 'now')} ${field('minRun', 'Ran for at least', 'seconds')}
      ${choice('order', 'Order', [['', 'newest first'], ...ATTEMPT_ORDERS.slice(1).map((one) => [one, one.replace('-', ' ')] as const)])}
      <span class="send"><button type="submit">Show</button> ${link('/attempts', 'Clear')}</span>
    </div>
    <details id="more-filters" ${folded ? 'open' : ''}>
      <summary>More fields</summary>
      <div class="filter-row">
        ${field('worker', 'Worker')} ${field('reason', 'Reason of the dead letter')} ${field('errorName', 'Name of the error')}
        ${field('fingerprint', 'Error group')} ${field('dueFrom', 'Jobs first due from', 'a day before')}
        ${field('dueTo', 'before', 'a minute after')}
      </div>
    </details>
  </form>`;
}
