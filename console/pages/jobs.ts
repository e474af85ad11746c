import { html } from 'hono/html';
import type { JobCounts, JobPage } from '../../operate/jobs/read-verbs.ts';
import { filterOfParams, NUMBERS, TIMES } from '../../operate/jobs/filter-params.ts';
import type { JobFilter, ListOrder } from '../../operate/jobs/job-filter.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { bulkChoicesFor } from '../jobs/bulk-choices.ts';
import { bulkToolbar } from '../jobs/bulk-toolbar.ts';
import { listCommand } from '../jobs/cli-words.ts';
import { filterForm, stateTabs } from '../jobs/filter-form.ts';
import { type JobQuery, jobQuery, searchable } from '../jobs/job-query.ts';
import { jobTable, noJobs } from '../jobs/job-table.ts';
import { command } from '../parts/copy.ts';
import { notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { plural } from '../../shared/job/plural.ts';

const PAGE_SIZE = 50;
/** The most that a page and a count may read by default: a few seconds, and a fraction of a cent. */
const LIST_READ_UNITS = 500;
const COUNT_READ_UNITS = 3_000;

/** Jobs in every state, behind one filter. */
export const jobsPage: Page = { path: '/jobs', title: 'Jobs', nav: { label: 'Jobs', key: 'j' }, render };

async function render(request: PageRequest): Promise<Html> {
  const asked = readQuery(request);
  if ('problem' in asked) return html`${stateTabs(asked.filter)} ${filterForm(request, asked.filter)} ${problemNotice(asked.problem)}`;
  const { filter, order } = asked;
  const [page, counts] = await Promise.all([read(request, asked), asked.count ? counted(request, asked) : undefined]);
  return html`${stateTabs(filter, counts)} ${filterForm(request, filter)}
    ${'problem' in page ? problemNotice(page.problem) : listing(request, filter, { page, counts })}
    <h2 class="small">In the terminal</h2>
    ${command(request, ...listCommand(filter, order))}`;
}

interface Read {
  readonly page: JobPage;
  readonly counts: JobCounts | undefined;
}

function listing(request: PageRequest, filter: JobFilter, { page, counts }: Read): Html {
  const { jobs, next, readUnits, order, servedBy } = page;
  const sorted = order === 'none' ? 'in no order' : order.replace('-', ' ');
  return html`<p class="served" id="served">
      ${jobs.length} ${plural(jobs.length, 'job')} on this page, ${sorted}, from ${servedBy}: ${readUnits.toLocaleString('en')} read units.
      ${countWords(request, counts)}${reversed(request, order)}
    </p>
    ${bulkToolbar(request, filter, { table: 'jobs', rows: jobs.length, more: next !== undefined })}
    ${jobTable(request, jobs, { id: 'jobs', state: filter.state, select: request.write && bulkChoicesFor(filter.state).length > 0, empty: noJobs(filter, next !== undefined) })}
    ${pager('/jobs', request.query, next)}`;
}

const REVERSED: Readonly<Record<ListOrder, ListOrder>> = {
  'newest-first': 'oldest-first',
  'oldest-first': 'newest-first',
  'soonest-first': 'latest-first',
  'latest-first': 'soonest-first',
};

/** The same list the other way round, where keys give that. */
function reversed({ query }: PageRequest, order: JobPage['order']): Html {
  if (order === 'none') return html``;
  const params = new URLSearchParams(query);
  params.set('order', REVERSED[order]);
  params.delete('after');
  const label = REVERSED[order].replace('-', ' ');
  return html` · <a href="/jobs?${params.toString()}">Show ${label}</a>`;
}

function countWords({ query }: PageRequest, counts: JobCounts | undefined): Html {
  if (counts === undefined) {
    const params = new URLSearchParams(query);
    params.set('count', '1');
    params.delete('after');
    return html`<a href="/jobs?${params.toString()}">Count all that match</a>`;
  }
  const total = counts.total.toLocaleString('en');
  return html`<strong>${counts.complete ? `${total} match in all` : `at least ${total} match`}</strong
    >${counts.complete ? '' : ' (allow more read units for the rest)'}, counted with ${counts.readUnits.toLocaleString('en')} read units.`;
}

async function counted({ admin }: PageRequest, { filter, maxReadUnits = COUNT_READ_UNITS }: JobQuery): Promise<JobCounts | undefined> {
  try {
    return await admin.count({ ...filter, maxReadUnits: Math.max(maxReadUnits, COUNT_READ_UNITS) });
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}

async function read({ admin }: PageRequest, asked: JobQuery): Promise<JobPage | { readonly problem: string }> {
  const { filter, after, order, maxReadUnits = LIST_READ_UNITS } = asked;
  try {
    return await admin.list({ ...filter, limit: PAGE_SIZE, maxReadUnits, ...defined({ after, order }) });
  } catch (error) {
    if (error instanceof InvalidInputError) return { problem: error.message };
    throw error;
  }
}

function readQuery({ query, now, redact }: PageRequest): JobQuery | { readonly problem: string; readonly filter: JobFilter } {
  try {
    const asked = jobQuery(query, now());
    searchable(asked.filter, { redact });
    return asked;
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const rest = new URLSearchParams(query);
    for (const name of [...TIMES, ...NUMBERS, 'hasError', 'or', 'order', 'maxReadUnits', ...(redact.length === 0 ? [] : ['text'])])
      rest.delete(name);
    return { problem: error.message, filter: filterOfParams(rest, now()) };
  }
}

function problemNotice(problem: string): Html {
  return notice(
    'warn',
    'This list cannot be shown',
    html`${problem} Correct the filter, or start again with <a href="/jobs">all jobs</a>.`,
  );
}
