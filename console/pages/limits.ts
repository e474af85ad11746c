import { html } from 'hono/html';
import { limitUse } from '../overview/limit-rows.ts';
import type { Page } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { limitNumbers } from '../parts/limit-numbers.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { list } from '../parts/table.ts';

/** Limits under which jobs are parked, and the numbers of all limits. */
export const limitsPage: Page = {
  path: '/limits',
  title: 'Limits',
  nav: { label: 'Limits', key: 'l' },
  live: true,
  render: async (request) => {
    const { limits, complete } = await limitUse(request);
    const empty = emptyState('No job is parked under a limit.', 'A limit is listed as long as jobs wait for one of its slots.');
    const listed = list({
      id: 'limits',
      caption: 'Limits in use',
      items: limits,
      columns: [
        ['Limit', ({ limit, hash }) => html`${limit} <span class="hint">${hash}</span>`],
        ['Slots held', ({ held, n }) => (n === undefined ? held : `${held} of ${n}`), 'number'],
        ['Jobs parked', ({ parked, exact }) => (exact ? parked : `${parked} or more`), 'number'],
        ['Jobs', () => link(href(['jobs'], { state: 'parked' }), 'Parked jobs')],
      ],
      empty,
    });
    return html`${section('limits-rows', 'Limits in use', listed)}
    ${complete ? '' : html`<p class="hint">There are more: counting stops after about 500 read units.</p>`} ${await limitNumbers(request)}
    ${inTerminal(request, ['stats', 'limits'])} ${inTerminal(request, ['limits', 'list'])}`;
  },
};
