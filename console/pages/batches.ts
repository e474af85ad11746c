import { html } from 'hono/html';
import type { BatchProgress } from '../../shared/features/batches/model/batch-snapshot.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { pill, type Tone } from '../parts/pills.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const LIMIT = 50;
const TONES: Readonly<Record<BatchProgress['state'], Tone>> = { open: 'warn', sealed: 'busy', cancelled: 'plain', finished: 'good' };
const COLUMNS = [
  { label: 'Batch' },
  { label: 'State' },
  { label: 'Done' },
  { label: 'Succeeded', kind: 'number' },
  { label: 'Failed', kind: 'number' },
  { label: 'Cancelled', kind: 'number' },
  { label: 'Pending', kind: 'number' },
  { label: 'Tenant' },
  { label: 'Created' },
  { label: 'Actions' },
] as const;

/** Batches that are not finished. */
export const batchesPage: Page = {
  path: '/batches',
  title: 'Batches',
  nav: { label: 'Batches', key: 'h' },
  live: true,
  render: async (request) => {
    const after = request.query.get('after') ?? '';
    const { batches, next } = await request.admin.batches({ limit: LIMIT, ...(after === '' ? {} : { after }) });
    const rows = batches.map((one) => rowOf(request, one));
    const empty = emptyState('No batch is in progress.', 'Finished batches are found by the id of one of their jobs.');
    return html`${section('batches-rows', 'Not finished', table({ id: 'batches', caption: 'Batches', columns: COLUMNS, rows, empty }))}
    ${pager('/batches', request.query, next)} ${inTerminal(request, ['batches', 'list'])}`;
  },
};

function rowOf(request: PageRequest, one: BatchProgress) {
  const jobs = href(['jobs'], { batch: one.id });
  const done = one.total - one.pending;
  return {
    href: jobs,
    cells: [
      html`${link(jobs, one.name ?? one.id)}<br /><span class="hint">${one.id}</span>`,
      pill(one.state, TONES[one.state]),
      html`<progress max="${Math.max(one.total, 1)}" value="${done}" aria-label="Done"></progress> ${done} of ${one.total}`,
      one.succeeded,
      one.failed === 0 ? 0 : link(href(['jobs'], { batch: one.id, state: 'dead' }), one.failed),
      one.cancelled,
      one.pending,
      one.tenant,
      when(one.createdAt, request),
      buttons(request, one),
    ],
  };
}

function buttons(request: PageRequest, { id, name = id, state }: BatchProgress): Html {
  const seal = actionButton(request, {
    label: 'Seal',
    action: 'batch-seal',
    body: { id },
    confirm: `Seals ${name} with the jobs that it has. Only if its builder is gone, which can add none after that.`,
  });
  const cancel = actionButton(request, {
    label: 'Cancel…',
    action: 'batch-cancel',
    body: { id },
    danger: true,
    bulk: true,
    confirm: `Seals ${name}, and its jobs end as cancelled when they are received.`,
  });
  return html`${state === 'open' ? seal : ''} ${state === 'open' || state === 'sealed' ? cancel : ''}`;
}
