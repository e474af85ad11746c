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
import { list, type ListColumn } from '../parts/table.ts';
import { when } from '../parts/times.ts';

/** The suspensions, and the form to add one. */
export const suspensionsPage: Page = {
  path: '/suspensions',
  title: 'Suspensions',
  nav: { label: 'Suspensions', key: 'p' },
  live: true,
  render: async (request) => {
    const suspensions = await request.admin.suspensions();
    const columns = columnsOf(request);
    const empty = emptyState(
      'Nothing is suspended.',
      'Suspend a type, a tenant, a group, a schedule, a batch or everything below: its jobs then wait until the suspension ends.',
    );
    return html`${section('in-force', 'Suspensions', list({ id: 'suspensions', caption: 'Suspensions', items: suspensions, columns, href: jobsOf, empty }))}
    ${section('suspend', 'Suspend', suspendForm(request))} ${inTerminal(request, ['suspensions', 'list'])}`;
  },
};

/** The state of a suspension. */
export function suspensionPill(state: ListedSuspension['state']): Html {
  return pill(state.replace('-', ' '), state === 'in-force' ? 'warn' : 'plain');
}

const jobsOf = ({ scope }: ListedSuspension): string => href(['jobs'], { state: 'suspended', cause: scope });

function columnsOf(request: PageRequest): readonly ListColumn<ListedSuspension>[] {
  return [
    [
      'What',
      (one) =>
        html`<strong>${scopeWords(one.scope)}</strong>${
            one.createdAfter === undefined
              ? ''
              : html` <span class="hint">only jobs created after ${when(one.createdAfter, request)}</span>`
          }`,
    ],
    ['State', ({ state }) => suspensionPill(state)],
    ['Why', ({ reason }) => reason],
    ['Who', ({ actor }) => actor],
    ['Since', ({ from, at }) => when(from ?? at, request)],
    ['Until', ({ until }) => (until === undefined ? 'it is ended by hand' : when(until, request))],
    ['Its jobs', (one) => link(jobsOf(one), 'Suspended jobs')],
    ['', (one) => resumeButton(request, one), 'actions'],
  ];
}

function resumeButton(request: PageRequest, { scope }: ListedSuspension): Html {
  return actionButton(request, {
    label: 'Resume',
    action: 'resume',
    bulk: true,
    body: { scope },
    confirm: `Ends the suspension of ${scopeWords(scope)}: its jobs go back to their queues.`,
    fields: [
      { name: 'ratePerSecond', label: 'Jobs per second', kind: 'number', hint: 'Empty: as fast as the sweeper can.' },
      { name: 'reason', label: 'Why' },
    ],
  });
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
