import { html } from 'hono/html';
import type { BulkReport } from '../../operate/bulk/bulk-verbs.ts';
import { bulkRunsOf } from '../bulk-runs.ts';
import { bulkStatus, bulkTitle, newestOf } from '../jobs/bulk-progress.ts';
import { filterWords } from '../jobs/job-query.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { command } from '../parts/copy.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { list } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const LIMIT = 100;

/** Past and running actions on many jobs. */
export const bulksPage: Page = { path: '/bulks', title: 'Bulk actions', nav: { label: 'Bulk actions', key: 'm' }, live: true, render };

async function render(request: PageRequest): Promise<Html> {
  const before = request.query.get('before') ?? '';
  const bulks = await request.admin.bulks({ limit: LIMIT, ...(before === '' ? {} : { before }) });
  return html`${list({
      id: 'bulks',
      caption: 'Bulk actions, newest first',
      items: bulks.map((bulk) => newest(request, bulk)),
      columns: [
        ['Action', (one) => link(pageOf(one), bulkTitle(one.action, request.zone))],
        ['State', ({ status }) => status],
        ['On', ({ filter }) => filterWords(filter, request.zone)],
        ['Matched', ({ matched }) => matched.toLocaleString('en'), 'number'],
        ['Done', ({ done }) => done.toLocaleString('en'), 'number'],
        ['Failed', ({ failed }) => failed.toLocaleString('en'), 'number'],
        ['Begun', ({ startedAt }) => when(startedAt, request)],
        ['By', ({ actor }) => actor],
      ],
      href: pageOf,
      empty: emptyState(
        'There are no bulk actions yet.',
        html`Filter <a href="/jobs">a list of jobs</a> or open an <a href="/dead-letters">error group</a>; reports are kept for 30 days.`,
      ),
    })}
    ${pager('/bulks', request.query, bulks.length < LIMIT ? undefined : bulks.at(-1)?.id, 'before')}
    <h2 class="small">In the terminal</h2>
    ${command(request, 'bulks', 'list')}`;
}

const pageOf = ({ id = '' }: Pick<BulkReport, 'id'>): string => href(['bulks', id]);

/** A report with its state, and the counts that this console has of a run of its own. */
function newest(request: PageRequest, bulk: BulkReport) {
  const run = bulkRunsOf(request).look(bulk.id ?? '');
  return { ...bulk, ...newestOf(bulk, run), status: bulkStatus(bulk, run, request.now()) };
}
