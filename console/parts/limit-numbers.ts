import { html } from 'hono/html';
import type { ListedLimit } from '../../shared/features/limits/admin/limit-verbs.ts';
import type { Html, PageRequest } from '../page.ts';
import { actionButton } from './action-button.ts';
import { section } from './facts.ts';
import { emptyState } from './notices.ts';
import { list } from './table.ts';
import { when } from './times.ts';

const NAME = { name: 'limit', label: 'Limit', required: true };
const NUMBER = { name: 'n', label: 'Number, 0 to 100; with 0 no further job starts', kind: 'number', required: true } as const;
const WHY = { name: 'reason', label: 'Why' };

/** The limits with the numbers of the code and of operators, and buttons that change them. */
export async function limitNumbers(request: PageRequest): Promise<Html> {
  const limits = await request.admin.limitNumbers();
  const empty = emptyState('No worker has reported a limit.', 'A worker reports the limits of its job types when it runs.');
  const listed = list({
    id: 'limit-numbers',
    caption: 'Numbers',
    items: limits,
    columns: [
      ['Limit', ({ limit }) => limit],
      ['Number', ({ n, perMs }) => numberText(n, perMs), 'number'],
      ['By the code', ({ coded, perMs }) => numberText(coded, perMs), 'number'],
      ['Workers', ({ workers }) => workers.join(', ')],
      ['Set', ({ set }) => (set === undefined ? '' : when(set.at, request))],
      ['By', ({ set }) => set?.actor ?? ''],
      [
        'Why',
        ({ set }) => (set === undefined ? '' : `${set.n === undefined ? 'unreadable: that of the code holds. ' : ''}${set.reason ?? ''}`),
      ],
      ['', (one) => buttons(request, one), 'actions'],
    ],
    empty,
  });
  const other = actionButton(request, {
    label: 'Set another…',
    action: 'limit-set',
    bulk: true,
    confirm: 'Sets the number of a limit that no worker has reported yet.',
    fields: [NAME, NUMBER, WHY],
  });
  const body = html`${listed}
    <div class="buttons">${other}</div>`;
  return section('limits-numbers', 'Numbers', body);
}

function numberText(n: number | undefined, perMs: number | undefined): string {
  return n === undefined ? 'unknown' : `${n}${perMs === undefined ? '' : ` in ${perMs / 1_000} s`}`;
}

function buttons(request: PageRequest, { limit, set }: ListedLimit): Html {
  const change = actionButton(request, {
    label: 'Change…',
    action: 'limit-set',
    bulk: true,
    body: { limit },
    confirm: `Sets the number of ${limit} in place of the code's, until it is cleared. Running jobs go on.`,
    fields: [NUMBER, WHY],
  });
  const clear = actionButton(request, {
    label: 'Clear…',
    action: 'limit-clear',
    bulk: true,
    body: { limit },
    confirm: `Gives ${limit} back to the number of the code.`,
    fields: [WHY],
  });
  return html`${change} ${set === undefined ? '' : clear}`;
}
