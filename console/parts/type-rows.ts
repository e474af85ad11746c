import { html } from 'hono/html';
import type { TypeBacklog, TypeList, TypeView } from '../../operate/type-view.ts';
import { jobsHref } from '../jobs/job-query.ts';
import type { Html, Session } from '../page.ts';
import { atLeast } from './facts.ts';
import { href, link } from './links.ts';
import { emptyState } from './notices.ts';
import { pill } from './pills.ts';
import { type Cell, table } from './table.ts';
import { when } from './times.ts';

/** The types of a deployment with what is known of each. */
export function typeTable(session: Session, { types, anyType }: TypeList): Html {
  return table({
    id: 'types',
    caption: 'Types of jobs',
    columns: [
      { label: 'Type' },
      { label: 'Workers' },
      { label: 'Last report' },
      { label: 'Backlog', kind: 'number' },
      { label: 'Dead letters', kind: 'number' },
      { label: 'Note' },
    ],
    rows: types.map((one) => ({ cells: cellsOf(session, one, anyType), href: jobsHref({ type: one.type }) })),
    empty: emptyState('No type is known yet.', 'A worker reports its types when it has run a job.'),
  });
}

/** What the table does not say. */
export function typeHint({ anyType, complete }: TypeList): Html {
  const every = anyType.length === 0 ? '' : `${anyType.join(', ')} takes every type.`;
  const missing = complete ? '' : 'There are too many error groups to read: types and dead letters may be missing.';
  return html`<span class="hint">${every} ${missing}</span>`;
}

function cellsOf(session: Session, one: TypeView, anyType: readonly string[]): readonly Cell[] {
  const { type, workers, deadLetters, backlog } = one;
  const [last] = workers.map(({ lastSeen }) => lastSeen).toSorted((a, b) => b.getTime() - a.getTime());
  return [
    link(jobsHref({ type }), type),
    workers.length === 0 ? undefined : workers.map(({ worker }) => worker).join(', '),
    last === undefined ? undefined : when(last, session),
    backlog === undefined ? undefined : backlogText(session, backlog),
    deadLetters === 0 ? undefined : html`<a href="${href(['dead-letters'], { type })}">${atLeast(deadLetters)}</a>`,
    html`${notesOf(one, anyType).map(([text, tone]) => html`${pill(text, tone)} `)}`,
  ];
}

/** Ready jobs at the last measurement, and the bound. */
function backlogText(session: Session, { ready, measuredAt, bound }: TypeBacklog): Html {
  const most = bound.toLocaleString('en');
  if (ready === undefined || measuredAt === undefined) return html`<span class="hint">not measured yet, of ${most}</span>`;
  const full = ready >= bound ? pill('full', 'bad') : '';
  return html`${ready.toLocaleString('en')} of ${most} <span class="hint">${when(measuredAt, session)}</span> ${full}`;
}

function notesOf({ workers, suspended, handlerMissing }: TypeView, anyType: readonly string[]) {
  return [
    ...(suspended ? [['suspended', 'warn'] as const] : []),
    ...(handlerMissing ? [['handler missing', 'bad'] as const] : []),
    ...workers.filter(({ off }) => off).map(({ worker }) => [`off on ${worker}`, 'warn'] as const),
    ...workers.filter(({ current }) => !current).map(({ worker }) => [`no longer on ${worker}`, 'plain'] as const),
    ...(workers.length === 0 && anyType.length === 0 ? [['no worker reports it', 'plain'] as const] : []),
  ];
}
