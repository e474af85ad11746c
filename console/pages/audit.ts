import { html } from 'hono/html';
import { auditFields } from '../parts/audit-fields.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import type { Html, Page } from '../page.ts';

const DAY_MS = 86_400_000;
const LIMIT = 200;

/** The actions of operators, one day at a time. */
export const auditPage: Page = {
  path: '/audit',
  title: 'Audit',
  nav: { label: 'Audit', key: 'u' },
  render: async (request) => {
    const today = new Date(request.now()).toISOString().slice(0, 10);
    const day = request.query.get('day') || today;
    const tenant = request.query.get('tenant') ?? '';
    const after = request.query.get('after') ?? '';
    const given = { ...(tenant === '' ? {} : { tenant }), ...(after === '' ? {} : { after }) };
    const { entries, next } = await request.admin.auditPage({ day, limit: LIMIT, ...given });
    const rows = entries.map((record) => ({
      cells: [
        when(record.at, request),
        html`<strong>${record.verb}</strong>`,
        record.actor,
        record.jobId === undefined ? record.scope : jobLink(record.jobId),
        record.reason,
        auditFields(record),
      ],
    }));
    const columns = ['When', 'What', 'Who', 'On', 'Why', 'More'].map((label) => ({ label }));
    const empty = emptyState(
      `No actions on ${day} (UTC).`,
      'Every action of the CLI, the console and the admin library leaves a row here for 400 days.',
    );
    return html`${dayForm({ day, tenant, today })}
    ${section('audit-rows', `${day}, UTC`, table({ id: 'audit', caption: `Actions on ${day}`, columns, rows, empty }), html`<span class="hint">${entries.length.toLocaleString('en')} actions${after === '' && next === undefined ? '' : ' on this page'}</span>`)}
    ${pager('/audit', request.query, next)} ${inTerminal(request, ['audit', '--day', day])}`;
  },
};

function dayForm({ day, tenant, today }: { readonly day: string; readonly tenant: string; readonly today: string }): Html {
  const begin = Date.parse(`${day}T00:00:00Z`);
  const beside = (days: number): string => href(['audit'], { day: new Date(begin + days * DAY_MS).toISOString().slice(0, 10), tenant });
  const known = !Number.isNaN(begin);
  return html`<form class="filters" method="get" action="/audit">
    <label>Day (UTC) <input type="date" name="day" value="${day}" max="${today}" /></label>
    <label>Tenant <input type="search" name="tenant" value="${tenant}" data-search /></label>
    <button type="submit">Show</button>
    ${known ? link(beside(-1), 'Day before') : ''} ${known && day < today ? link(beside(1), 'Day after') : ''}
  </form>`;
}
