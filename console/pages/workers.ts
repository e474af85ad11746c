import { html } from 'hono/html';
import type { WorkerView } from '../../shared/features/workers/admin/worker-view.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { emptyState } from '../parts/notices.ts';
import { pill } from '../parts/pills.ts';
import { priorityColumns, prioritySection } from '../parts/priority-rows.ts';
import { list, type ListColumn } from '../parts/table.ts';
import { typeHint, typeTable } from '../parts/type-rows.ts';
import { when } from '../parts/times.ts';

/** Workers with the types that they have handlers for, all types that are known, and priorities at run time. */
export const workersPage: Page = {
  path: '/workers',
  title: 'Workers',
  nav: { label: 'Workers', key: 'w' },
  live: true,
  render: async (request) => {
    const { admin } = request;
    const [workers, types, priorities] = await Promise.all([admin.workers(), admin.types(), admin.priorities()]);
    const empty = emptyState(
      'No worker has reported yet.',
      'A worker reports at the end of an invocation, at most every five minutes: enqueue a job.',
    );
    const listed = list({ id: 'workers', caption: 'Workers', items: workers, columns: columnsOf(request), empty });
    const typed = typeTable(request, types, priorityColumns(request, priorities));
    return html`${section('workers-rows', 'By name, then the version that reported last', listed)}
    ${section('type-rows', 'Types of jobs', typed, typeHint(types))} ${prioritySection(request, priorities)}
    ${inTerminal(request, ['workers'], ['types'], ['priorities', 'list'])}`;
  },
};

function columnsOf(request: PageRequest): readonly ListColumn<WorkerView>[] {
  return [
    [
      'Worker',
      ({ worker, kind }) => html`<strong>${worker}</strong> <span class="hint">${kind === 'lambda' ? 'Lambda' : 'outside Lambda'}</span>`,
    ],
    ['Version', ({ version }) => version],
    ['Last report', ({ fresh, lastSeen }) => html`${fresh ? pill('fresh', 'good') : pill('quiet', 'plain')} ${when(lastSeen, request)}`],
    ['First report', ({ firstSeen }) => when(firstSeen, request)],
    ['Types', (one) => typesCell(request, one)],
  ];
}

function typesCell(request: PageRequest, worker: WorkerView): Html | undefined {
  if (worker.types.length === 0) return undefined;
  return html`<ul class="types">
    ${worker.types.map((type) => html`<li>${typeOf(request, worker, type)}</li>`)}
  </ul>`;
}

function typeOf(request: PageRequest, { worker, off }: WorkerView, type: string): Html {
  if (off.includes(type)) {
    const on = actionButton(request, {
      label: 'Switch on',
      action: 'resume',
      bulk: true,
      body: { scope: `type#${type}@${worker}` },
      confirm: `Jobs of ${type} start on ${worker} again.`,
    });
    return html`${type} ${pill('off', 'warn')} ${on}`;
  }
  const button = actionButton(request, {
    label: 'Switch off',
    action: 'suspend',
    bulk: true,
    body: { kind: 'type', name: type, worker },
    confirm: `Jobs of ${type} do not start on ${worker} until it is switched on again.`,
    fields: [{ name: 'reason', label: 'Why', required: true }],
  });
  return html`${type} ${button}`;
}
