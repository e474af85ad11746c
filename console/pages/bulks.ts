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
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const LIMIT = 100;

/** Past and running actions on many jobs. */
export const bulksPage: Page = { path: '/bulks', title: 'Bulk actions', nav: { label: 'Bulk actions', key: 'm' }, live: true, render };

async function render(request: PageRequest): Promise<Html> {
  const before = request.query.get('before') ?? '';
  const bulks = await request.admin.bulks({ limit: LIMIT, ...(before === '' ? {} : { before }) });
  return html`${table({
      id: 'bulks',
      caption: 'Bulk actions, newest first',
      columns: [
        { label: 'Action' },
        { label: 'State' },
        { label: 'On' },
        { label: 'Matched', kind: 'number' },
        { label: 'Done', kind: 'number' },
        { label: 'Failed', kind: 'number' },
        { label: 'Begun' },
        { label: 'By' },
      ],
      rows: bulks.map((bulk) => rowOf(request, bulk)),
      empty: emptyState(
        'There are no bulk actions yet.',
        html`Filter <a href="/jobs">a list of jobs</a> or open an <a href="/dead-letters">error group</a>; reports are kept for 30 days.`,
      ),
    })}
    ${pager('/bulks', request.query, bulks.length < LIMIT ? undefined : bulks.at(-1)?.id, 'before')}
    <h2 class="small">In the terminal</h2>
    ${command(request, 'bulks', 'list')}`;
}

function rowOf(request: PageRequest, bulk: BulkReport) {
  const to = href(['bulks', bulk.id ?? '']);
  const run = bulkRunsOf(request).look(bulk.id ?? '');
  const { matched, done, failed } = newestOf(bulk, run);
  return {
    href: to,
    cells: [
      link(to, bulkTitle(bulk.action, request.zone)),
      bulkStatus(bulk, run, request.now()),
      filterWords(bulk.filter, request.zone),
      matched.toLocaleString('en'),
      done.toLocaleString('en'),
      failed.toLocaleString('en'),
      when(bulk.startedAt, request),
      bulk.actor,
    ],
  };
}
