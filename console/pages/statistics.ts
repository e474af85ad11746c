import { html } from 'hono/html';
import type { NamedStatistics } from '../../shared/features/statistics/admin/statistics.ts';
import type { StatisticsKind } from '../../shared/features/statistics/model/statistics.ts';
import { visible } from '../jobs/visible-text.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { table } from '../parts/table.ts';
import { duration } from '../parts/times.ts';
import { remembered } from '../remembered.ts';

const HOUR_MS = 3_600_000;
/** A day has up to 1,440 rows for each worker. */
const READ_EVERY_MS = 15_000;
const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;
type Span = keyof typeof SPANS;
const COLUMNS = ['Started', 'Completed', 'Retried', 'Dead', 'Mean run'].map((label) => ({ label, kind: 'number' as const }));

/** What became of jobs by type and by tenant, where the deployment keeps that. */
export const statisticsPage: Page = {
  path: '/statistics',
  title: 'Statistics',
  nav: { label: 'Statistics', key: 'y' },
  render: async (request) => {
    const kind: StatisticsKind = request.query.get('by') === 'tenant' ? 'tenant' : 'type';
    const span = (Object.keys(SPANS) as Span[]).find((one) => one === request.query.get('last')) ?? 'hour';
    const { sums } = await read(request, kind, span);
    const listed = table({
      id: 'statistics',
      caption: `Jobs by ${kind}`,
      columns: [{ label: kind === 'type' ? 'Type' : 'Tenant' }, ...COLUMNS, { label: 'More' }],
      rows: sums.map((one) => ({ cells: cellsOf(kind, one) })),
      empty: emptyState(
        'Nothing is known.',
        `Nothing ran in this time, or the setting statistics of the deployment is not ${kind === 'type' ? '2 or 3' : '3'}.`,
      ),
    });
    return html`${tabs(kind, span)} ${section('statistics-rows', `Jobs of the last ${span} by ${kind}`, listed)}
    ${inTerminal(request, ['stats', `${kind}s`, '--from', `${SPANS[span] / HOUR_MS}h`])}`;
  },
};

async function read({ admin, now }: PageRequest, kind: StatisticsKind, span: Span) {
  const to = now();
  return remembered({ owner: admin, key: `statistics-by-${kind}-${span}`, ttlMs: READ_EVERY_MS, now: to }, async () =>
    admin.statisticsBy(kind, { from: new Date(to - SPANS[span]), to: new Date(to) }),
  );
}

function tabs(kind: StatisticsKind, span: Span): Html {
  const tab = (label: string, by: StatisticsKind, last: Span): Html =>
    html`<a href="${href(['statistics'], { by, last })}" ${by === kind && last === span ? html`aria-current="page"` : ''}>${label}</a>`;
  return html`<nav class="tabs" aria-label="By what, and how far back">
    ${(['type', 'tenant'] as const).map((by) => (Object.keys(SPANS) as Span[]).map((last) => tab(`By ${by}, last ${last}`, by, last)))}
  </nav>`;
}

function cellsOf(kind: StatisticsKind, { name, started, completed, retried, dead, runMs }: NamedStatistics) {
  const count = (value: number): string => value.toLocaleString('en');
  const numbers = [...[started, completed, retried, dead].map(count), runMs === undefined ? undefined : duration(runMs)];
  if (name === undefined) return [html`<span class="hint">others, which had no place in a minute</span>`, ...numbers, undefined];
  const of = { [kind]: name };
  return [
    html`<strong>${visible(name)}</strong>`,
    ...numbers,
    html`<div class="links">
      ${link(href(['jobs'], of), 'jobs')} ${link(href(['attempts'], of), 'attempts')}
      ${link(href(['jobs'], { ...of, state: 'dead' }), 'dead')}
    </div>`,
  ];
}
