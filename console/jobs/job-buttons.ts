import { html } from 'hono/html';
import type { JobView } from '../../shared/admin/jobs/job-view.ts';
import type { JobState } from '../../shared/core/job.ts';
import type { Html, Session } from '../page.ts';
import { type ActionButton, actionButton, type AskedField } from '../parts/action-button.ts';

const WHY: AskedField = { name: 'reason', label: 'Why', hint: 'For the audit.' };
const AT: AskedField = { name: 'at', label: 'Due', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m.' };

interface Offer extends Omit<ActionButton, 'body'> {
  readonly states: readonly JobState[];
}

const UNFINISHED: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended'];
const RESTING: readonly JobState[] = ['waiting', 'parked', 'ready', 'suspended'];

/** In the order in which they are offered. */
const OFFERS: readonly Offer[] = [
  {
    states: ['dead'],
    label: 'Redrive',
    action: 'redrive',
    confirm: 'It goes back to its queue with fresh counters.',
    fields: [
      { name: 'retries', label: 'Tries', kind: 'number', hint: 'Empty: what its policy says.' },
      { ...AT, hint: `${AT.hint} Empty: now.` },
      WHY,
    ],
  },
  {
    states: ['waiting', 'ready', 'suspended'],
    label: 'Run now',
    action: 'run-now',
    confirm: 'It runs at once, although it is not due, and although its type, tenant or group is suspended.',
    fields: [WHY],
  },
  {
    states: ['suspended'],
    label: 'Activate',
    action: 'activate-job',
    confirm: 'It goes back to where it was. What is still suspended stops it again.',
    fields: [WHY],
  },
  {
    states: ['waiting', 'ready'],
    label: 'Stop it here',
    action: 'suspend-job',
    confirm: 'It will not run until somebody lets it go.',
    fields: [{ ...WHY, label: 'Why, for whoever finds it stopped', required: true }],
  },
  { states: ['waiting', 'parked', 'ready'], label: 'Set due date', action: 'set-due-date', fields: [{ ...AT, required: true }] },
  {
    states: [...UNFINISHED, 'dead'],
    label: 'Set retries',
    action: 'set-retries',
    confirm: 'The tries that it gets from now on; a dead letter is redriven with them.',
    fields: [{ name: 'retries', label: 'Tries', kind: 'number', required: true, value: '3' }],
  },
  {
    states: RESTING,
    label: 'Set priority',
    action: 'set-priority',
    fields: [{ name: 'priority', label: 'Priority', kind: 'number', required: true, hint: 'Higher is more urgent.' }, WHY],
  },
  {
    states: [...RESTING, 'dead'],
    label: 'Change tenant',
    action: 'change-tenant',
    fields: [{ name: 'tenant', label: 'Tenant', hint: 'Empty: none.' }, WHY],
  },
  {
    states: UNFINISHED,
    label: 'Cancel',
    action: 'cancel',
    danger: true,
    confirm: 'It will not run; one that runs is asked to stop. This cannot be undone.',
    fields: [WHY],
  },
  {
    states: ['dead'],
    label: 'Delete',
    action: 'delete',
    danger: true,
    confirm: 'The dead letter is removed for good. This cannot be undone.',
    fields: [WHY],
  },
];

/** The buttons that fit the state of a job, each of which asks before it does anything. */
export function jobButtons(session: Session, job: JobView): Html {
  const unreadable = job.state === 'dead' && job.reason === 'unreadable';
  // Every verb would only say that it cannot read the row.
  if (job.raw !== undefined && !unreadable) return html``;
  const fitting = OFFERS.filter(({ states, action }) => states.includes(job.state) && (!unreadable || action === 'delete'));
  if (fitting.length === 0) return html``;
  return html`<div class="buttons">
    ${fitting.map(({ states: _states, ...offer }) => actionButton(session, { ...offer, label: `${offer.label}…`, body: { id: job.id } }))}
  </div>`;
}
