import { html } from 'hono/html';
import { changeTenant } from '../../operate/verbs/change-tenant.ts';
import type { BatchProgress } from '../../shared/features/batches/model/batch-snapshot.ts';
import { fieldsForOne, WHY } from '../jobs/verb-fields.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { pill, type Tone } from '../parts/pills.ts';
import { list, type ListColumn } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const LIMIT = 50;
const TONES: Readonly<Record<BatchProgress['state'], Tone>> = { open: 'warn', sealed: 'busy', cancelled: 'plain', finished: 'good' };

/** Batches that are not finished. */
export const batchesPage: Page = {
  path: '/batches',
  title: 'Batches',
  nav: { label: 'Batches', key: 'h' },
  live: true,
  render: async (request) => {
    const after = request.query.get('after') ?? '';
    const { batches, next } = await request.admin.batches({ limit: LIMIT, ...(after === '' ? {} : { after }) });
    const columns = columnsOf(request);
    const empty = emptyState('No batch is in progress.', 'Finished batches are found by the id of one of their jobs.');
    return html`${section('batches-rows', 'Not finished', list({ id: 'batches', caption: 'Batches', items: batches, columns, href: jobsOf, empty }))}
    ${pager('/batches', request.query, next)} ${inTerminal(request, ['batches', 'list'])}`;
  },
};

const jobsOf = ({ id }: BatchProgress): string => href(['jobs'], { batch: id });

function columnsOf(request: PageRequest): readonly ListColumn<BatchProgress>[] {
  return [
    ['Batch', (one) => html`${link(jobsOf(one), one.name ?? one.id)}<br /><span class="hint">${one.id}</span>`],
    ['State', ({ state }) => pill(state, TONES[state])],
    ['Done', doneCell],
    ['Succeeded', (one) => one.succeeded, 'number'],
    ['Failed', ({ id, failed }) => (failed === 0 ? 0 : link(href(['jobs'], { batch: id, state: 'dead' }), failed)), 'number'],
    ['Cancelled', (one) => one.cancelled, 'number'],
    ['Pending', (one) => one.pending, 'number'],
    ['Tenant', (one) => one.tenant],
    ['Created', (one) => when(one.createdAt, request)],
    ['Actions', (one) => buttons(request, one)],
  ];
}

function doneCell({ total, pending }: BatchProgress): Html {
  const done = total - pending;
  return html`<progress max="${Math.max(total, 1)}" value="${done}" aria-label="Done"></progress> ${done} of ${total}`;
}

function buttons(request: PageRequest, { id, name = id, state }: BatchProgress): Html {
  const seal = actionButton(request, {
    label: 'Seal',
    action: 'batch-seal',
    body: { id },
    confirm: `Seals ${name} with the jobs that it has. Only if its builder is gone, which can add none after that.`,
    fields: [WHY],
  });
  const cancel = actionButton(request, {
    label: 'Cancel…',
    action: 'batch-cancel',
    body: { id },
    danger: true,
    bulk: true,
    confirm: `Seals ${name}, and its jobs end as cancelled when they are received.`,
    fields: [WHY],
  });
  const tenant = actionButton(request, {
    label: 'Change tenant…',
    action: 'batch-change-tenant',
    body: { id },
    fields: fieldsForOne(changeTenant),
    confirm: `Moves ${name} to another tenant, with those callbacks that have its tenant and are not enqueued yet. Its jobs keep theirs until you change it, too.`,
  });
  return html`${state === 'open' ? seal : ''} ${state === 'open' || state === 'sealed' ? cancel : ''} ${tenant}`;
}
