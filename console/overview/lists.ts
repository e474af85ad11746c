import { html } from 'hono/html';
import type { Html, PageRequest } from '../page.ts';
import { atLeast, section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState } from '../parts/notices.ts';
import { pill } from '../parts/pills.ts';
import { scopeWords } from '../parts/scope-text.ts';
import { type Cell, table } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { heartbeatsOf, openGroups } from './figures.ts';
import { limitRows } from './limit-rows.ts';

const TOP = 6;

/** The open error groups that were seen last. */
export async function errorGroups(request: PageRequest): Promise<Html> {
  const { groups } = await openGroups(request);
  const rows = groups.slice(0, TOP).map((one) => ({
    href: href(['dead-letters', one.fingerprint]),
    cells: [
      html`${link(href(['dead-letters', one.fingerprint]), one.errorName)}<br /><span class="hint"
          >${one.type}: ${shortened(one.message)}</span
        >`,
      atLeast(one.open),
      when(one.lastSeen, request),
    ],
  }));
  const columns = [{ label: 'Error' }, { label: 'Dead', kind: 'number' }, { label: 'Last seen' }] as const;
  const empty = emptyState('No open error groups.', 'Every dead letter was redriven, deleted or given retries.');
  return section(
    'error-groups',
    'Open error groups',
    table({ id: 'error-group-rows', caption: 'Open error groups', columns, rows, empty }),
    link('/dead-letters', groups.length > TOP ? `All ${groups.length.toLocaleString('en')}` : 'All'),
  );
}

/** The ticking functions and the report of their last run; late ones come first. */
export async function heartbeats(request: PageRequest): Promise<Html> {
  const rows = (await heartbeatsOf(request)).map(({ who, at, late, report }) => ({
    cells: [
      html`<strong>${who}</strong><br /><span class="hint">${reportWords(report)}</span>`,
      late
        ? html`${pill('late', 'bad')} <a href="#in-terminal">nightcrew doctor</a>
            <span class="hint">and runbook ${who.startsWith('acquirer') ? 'acquirer-heartbeat' : 'sweeper-heartbeat'}</span>`
        : pill('on time', 'good'),
      when(at, request),
    ] as Cell[],
  }));
  const columns = ['Function and last report', 'State', 'Last run'].map((label) => ({ label }));
  const empty = emptyState(
    'No ticks yet.',
    'The acquirer and the sweeper tick every minute. If nothing appears, look at their schedules in EventBridge Scheduler.',
  );
  return section('heartbeats', 'Heartbeats', table({ id: 'heartbeat-rows', caption: 'Heartbeats', columns, rows, empty }));
}

/** Workers that reported, the freshest version of each. */
export async function workers(request: PageRequest): Promise<Html> {
  const views = await request.admin.workers();
  const rows = views.slice(0, TOP).map(({ worker, version, types, off, fresh, lastSeen }) => ({
    cells: [
      html`<strong>${worker}</strong> <span class="hint">${version}</span>`,
      fresh ? pill('fresh', 'good') : pill('quiet', 'plain'),
      `${types.length}${off.length === 0 ? '' : `, ${off.length} off`}`,
      when(lastSeen, request),
    ],
  }));
  const columns = ['Worker', 'State', 'Types', 'Last report'].map((label) => ({ label }));
  const empty = emptyState('No worker has reported yet.', 'A worker reports when it has run a job.');
  return section('workers', 'Workers', table({ id: 'worker-rows', caption: 'Workers', columns, rows, empty }), link('/workers', 'All'));
}

/** What blocks jobs from starting: suspensions in force and limits with parked jobs. */
export async function held(request: PageRequest): Promise<Html> {
  const [suspensions, limits] = await Promise.all([request.admin.suspensions(), limitRows(request)]);
  const inForce = suspensions.filter(({ state }) => state === 'in-force');
  const rows = [
    ...inForce.map((one) => ({
      href: '/suspensions',
      cells: [pill('suspended', 'warn'), scopeWords(one.scope), html`${one.reason} <span class="hint">${one.actor}</span>`] as Cell[],
    })),
    ...limits,
  ];
  const columns = ['What', 'Which', 'More'].map((label) => ({ label }));
  const empty = emptyState('Nothing is held back.', 'No suspension is in force, and no job waits under a limit.');
  return section(
    'held',
    'Waiting by rule',
    table({ id: 'held-rows', caption: 'Waiting by rule', columns, rows, empty }),
    link('/suspensions', 'Suspensions'),
  );
}

const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

/** In one order: a store gives the fields of a report in any. */
function reportWords(report: Readonly<Record<string, unknown>>): Html {
  return html`${Object.entries(report)
    .filter(([name]) => name !== 'seenAt')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => html`<span class="field">${name} ${String(value)}</span> `)}`;
}
