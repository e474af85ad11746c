import { html } from 'hono/html';
import type { ErrorGroup } from '../../shared/features/error-groups/admin/error-group.ts';
import { visible } from '../jobs/visible-text.ts';
import type { Html, PageRequest } from '../page.ts';
import { actionButton } from './action-button.ts';
import { facts } from './facts.ts';
import { pill } from './pills.ts';
import { when } from './times.ts';

/** Where a group stands, unless it is plainly open. */
export function groupPill({ state, cameBack }: ErrorGroup): Html {
  if (state === 'open') return cameBack === true ? pill('came back', 'bad') : html``;
  return pill(state, state === 'ignored' ? 'held' : state === 'resolved' ? 'good' : 'plain');
}

/** What operators said about a group, with the buttons to say something else. */
export function triage(request: PageRequest, group: ErrorGroup): Html {
  const { fingerprint, note = '', owner = '', state, ignoredUntil, resolvedAt, resolvedBy, cameBack } = group;
  const body = { fingerprint };
  const reason = { name: 'reason', label: 'Why (optional)' };
  const words = {
    label: 'Note and owner…',
    action: 'group-annotate',
    body,
    confirm: 'Everyone who opens this group sees them.',
    fields: [
      { name: 'note', label: 'Note', kind: 'long', value: note },
      { name: 'owner', label: 'Owner', value: owner },
    ],
  } as const;
  const ignore = {
    label: 'Ignore…',
    action: 'group-ignore',
    body,
    confirm: 'It is not listed as open until then, even if more jobs fail with it.',
    fields: [{ name: 'until', label: 'Until', value: '7d', required: true, hint: 'Such as 2h, 7d, or an instant.' }, reason],
  };
  const confirm = 'It is out of the open groups until a job dies of it again. Its dead letters stay.';
  const resolve = { label: 'Resolve…', action: 'group-resolve', body, confirm, fields: [reason] };
  const reopen = { label: 'Reopen', action: 'group-reopen', body };
  const isAside = state === 'ignored' || state === 'resolved';
  return html`${facts([
      ['Owner', visible(owner)],
      ['Note', note === '' ? undefined : html`<span class="note">${visible(note)}</span>`],
      ['Ignored until', state === 'ignored' && ignoredUntil !== undefined ? when(ignoredUntil, request) : undefined],
      ['Resolved', resolvedAt === undefined ? undefined : html`${when(resolvedAt, request)} by ${visible(resolvedBy ?? '')}`],
      ['Came back', cameBack === true ? html`after it was resolved: ${when(group.lastSeen, request)}` : undefined],
    ])}
    <div class="buttons" role="group" aria-label="What is said about this group">
      ${actionButton(request, words)} ${isAside ? actionButton(request, reopen) : ''}
      ${state === 'open' ? html`${actionButton(request, ignore)} ${actionButton(request, resolve)}` : ''}
    </div>`;
}
