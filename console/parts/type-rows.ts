import { html } from 'hono/html';
import type { TypeBacklog, TypeList, TypeView } from '../../operate/type-view.ts';
import { jobsHref } from '../jobs/job-query.ts';
import type { Html, Session } from '../page.ts';
import { atLeast } from './facts.ts';
import { href, link } from './links.ts';
import { emptyState } from './notices.ts';
import { pill } from './pills.ts';
import { list, type ListColumn } from './table.ts';
import { when } from './times.ts';

/** The types of a deployment with what is known of each, and `more` columns. */
export function typeTable(session: Session, { types, anyType }: TypeList, more: readonly ListColumn<TypeView>[]): Html {
  return list({
    id: 'types',
    caption: 'Types of jobs',
    items: types,
    columns: [
      ['Type', ({ type }) => link(jobsHref({ type }), type)],
      ['Workers', ({ workers }) => (workers.length === 0 ? undefined : workers.map(({ worker }) => worker).join(', '))],
      ['Last report', ({ workers }) => lastReport(session, workers)],
      ['Backlog', ({ backlog }) => (backlog === undefined ? undefined : backlogText(session, backlog)), 'number'],
      ['Dead letters', deadLettersCell, 'number'],
      ['Note', (one) => html`${notesOf(one, anyType).map(([text, tone]) => html`${pill(text, tone)} `)}`],
      ...more,
    ],
    href: ({ type }) => jobsHref({ type }),
    empty: emptyState('No type is known yet.', 'A worker reports its types when it has run a job.'),
  });
}

/** What the table does not say. */
export function typeHint({ anyType, complete }: TypeList): Html {
  const every = anyType.length === 0 ? '' : `${anyType.join(', ')} takes every type.`;
  const missing = complete ? '' : 'There are too many error groups to read: types and dead letters may be missing.';
  return html`<span class="hint">${every} ${missing}</span>`;
}

function lastReport(session: Session, workers: TypeView['workers']): Html | undefined {
  const [last] = workers.map(({ lastSeen }) => lastSeen).toSorted((a, b) => b.getTime() - a.getTime());
  return last === undefined ? undefined : when(last, session);
}

function deadLettersCell({ type, deadLetters }: TypeView): Html | undefined {
  return deadLetters === 0 ? undefined : html`<a href="${href(['dead-letters'], { type })}">${atLeast(deadLetters)}</a>`;
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
