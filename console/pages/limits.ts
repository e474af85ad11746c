import { html } from 'hono/html';
import { limitUse } from '../overview/limit-rows.ts';
import type { Page } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { limitNumbers } from '../parts/limit-numbers.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { table } from '../parts/table.ts';

const COLUMNS = [
  { label: 'Limit' },
  { label: 'Slots held', kind: 'number' },
  { label: 'Jobs parked', kind: 'number' },
  { label: 'Jobs' },
] as const;

/** Limits under which jobs are parked, and the numbers of all limits. */
export const limitsPage: Page = {
  path: '/limits',
  title: 'Limits',
  nav: { label: 'Limits', key: 'l' },
  live: true,
  render: async (request) => {
    const { limits, complete } = await limitUse(request);
    const rows = limits.map(({ limit, hash, held, n, parked, exact }) => ({
      cells: [
        html`${limit} <span class="hint">${hash}</span>`,
        n === undefined ? held : `${held} of ${n}`,
        exact ? parked : `${parked} or more`,
        link(href(['jobs'], { state: 'parked' }), 'Parked jobs'),
      ],
    }));
    const empty = emptyState('No job is parked under a limit.', 'A limit is listed as long as jobs wait for one of its slots.');
    return html`${section('limits-rows', 'Limits in use', table({ id: 'limits', caption: 'Limits in use', columns: COLUMNS, rows, empty }))}
    ${complete ? '' : html`<p class="hint">There are more: counting stops after about 500 read units.</p>`} ${await limitNumbers(request)}
    ${inTerminal(request, ['stats', 'limits'])} ${inTerminal(request, ['limits', 'list'])}`;
  },
};
