import { html } from 'hono/html';
import type { ListedSuspension } from '../../shared/features/rules/admin/rule-verbs.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton, actionForm } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pill } from '../parts/pills.ts';
import { scopeWords } from '../parts/scope-text.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const COLUMNS = [
  { label: 'What' },
  { label: 'State' },
  { label: 'Why' },
  { label: 'Who' },
  { label: 'Since' },
  { label: 'Until' },
  { label: 'Its jobs' },
  { label: '', kind: 'actions' },
] as const;

/** The suspensions, and the form to add one. */
export const suspensionsPage: Page = {
  path: '/suspensions',
  title: 'Suspensions',
  nav: { label: 'Suspensions', key: 'p' },
  live: true,
  render: async (request) => {
    const suspensions = await request.admin.suspensions();
    const rows = suspensions.map((one) => rowOf(request, one));
    const empty = emptyState(
      'Nothing is suspended.',
      'Suspend a type, a tenant, a group, a schedule, a batch or everything below: its jobs then wait until the suspension ends.',
    );
    return html`${section('in-force', 'Suspensions', table({ id: 'suspensions', caption: 'Suspensions', columns: COLUMNS, rows, empty }))}
    ${section('suspend', 'Suspend', suspendForm(request))} ${inTerminal(request, ['suspensions', 'list'])}`;
  },
};

/** The state of a suspension. */
export function suspensionPill(state: ListedSuspension['state']): Html {
  return pill(state.replace('-', ' '), state === 'in-force' ? 'warn' : 'plain');
}

function rowOf(request: PageRequest, one: ListedSuspension) {
  const jobs = href(['jobs'], { state: 'suspended', cause: one.scope });
  return {
    href: jobs,
    cells: [
      html`<strong>${scopeWords(one.scope)}</strong>${
          one.createdAfter === undefined ? '' : html` <span class="hint">only jobs created after ${when(one.createdAfter, request)}</span>`
        }`,
      suspensionPill(one.state),
      one.reason,
      one.actor,
      when(one.from ?? one.at, request),
      one.until === undefined ? 'it is ended by hand' : when(one.until, request),
      link(jobs, 'Suspended jobs'),
      actionButton(request, {
        label: 'Resume',
        action: 'resume',
        bulk: true,
        body: { scope: one.scope },
        confirm: `Ends the suspension of ${scopeWords(one.scope)}: its jobs go back to their queues.`,
        fields: [
          { name: 'ratePerSecond', label: 'Jobs per second', kind: 'number', hint: 'Empty: as fast as the sweeper can.' },
          { name: 'reason', label: 'Why' },
        ],
      }),
    ],
  };
}

function suspendForm(request: PageRequest): Html {
  const kinds = ['type', 'tenant', 'group', 'schedule', 'batch', 'all'];
  const inside = html`<label
      >What
      <select name="kind">
        ${kinds.map((kind) => html`<option value="${kind}">${kind === 'all' ? 'everything' : kind}</option>`)}
      </select></label
    >
    <label>Name <input name="name" autocomplete="off" /><span class="hint">Empty for everything.</span></label>
    <label>Only on the worker <input name="worker" autocomplete="off" /><span class="hint">For a type; empty for all workers.</span></label>
    <label>Why <input name="reason" required autocomplete="off" /></label>
    <label
      >Until <input name="until" autocomplete="off" /><span class="hint"
        >Such as 30m, 2h or 2026-01-31T12:00:00Z; empty: until it is ended.</span
      ></label
    >
    <label><input type="checkbox" name="newJobsOnly" /> New jobs only: those that exist already go on</label>`;
  return actionForm(
    request,
    {
      action: 'suspend',
      label: 'Suspend',
      bulk: true,
      confirm: 'None of these jobs starts from now on. Running jobs continue, and no counter of a job changes.',
    },
    inside,
  );
}
