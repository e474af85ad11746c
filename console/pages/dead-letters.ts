import { html } from 'hono/html';
import type { ErrorGroup, ErrorGroupPage } from '../../shared/features/error-groups/admin/error-group.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { short } from '../jobs/job-table.ts';
import { visible } from '../jobs/visible-text.ts';
import { jobsHref } from '../jobs/job-query.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { command } from '../parts/copy.ts';
import { atLeast } from '../parts/facts.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { groupPill } from '../parts/group-parts.ts';
import { list } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { COUNTS, remembered } from '../remembered.ts';
import { plural } from '../../shared/job/plural.ts';

/** Dead letters grouped by error. */
export const deadLettersPage: Page = {
  path: '/dead-letters',
  title: 'Dead letters',
  nav: { label: 'Dead letters', key: 'd' },
  live: true,
  render,
};

const STATES = ['open', 'ignored', 'resolved', 'closed', 'all'] as const;
type Shown = (typeof STATES)[number];
const PAGE_SIZE = 50;
/** A page that refreshes every few seconds must not read all groups each time; actions of this console clear the cache. */
const GROUPS_MS = 15_000;

async function render(request: PageRequest): Promise<Html> {
  const state = STATES.find((known) => known === request.query.get('state')) ?? 'open';
  const type = (request.query.get('type') ?? '').trim();
  const page = await read(request, state, type);
  return html`<nav class="tabs" aria-label="Which groups">
      ${STATES.map((one) => html`<a href="${href(['dead-letters'], { state: one, type })}" ${one === state ? html`aria-current="page"` : ''}>${LABELS[one]}</a>`)}
      <a href="${jobsHref({ state: 'dead' })}">One by one</a>
    </nav>
    <form class="filters" method="get" action="/dead-letters">
      <input type="hidden" name="state" value="${state}" />
      <label>Type<input type="search" name="type" value="${type}" data-search autocomplete="off" spellcheck="false" /></label>
      <button type="submit">Show</button>
    </form>
    ${'problem' in page ? notice('warn', 'This list cannot be shown', html`${page.problem} Start again with <a href="/dead-letters">all open groups</a>.`) : groups(request, page, { state, type })}
    <h2 class="small">In the terminal</h2>
    ${command(request, 'dead-letters', 'groups', ...(type === '' ? [] : ['--type', type]))}`;
}

const LABELS: Readonly<Record<Shown, string>> = {
  open: 'Open',
  ignored: 'Ignored',
  resolved: 'Resolved',
  closed: 'Closed',
  all: 'All groups',
};

function groups(
  request: PageRequest,
  { groups: found, next }: ErrorGroupPage,
  { state, type }: { readonly state: Shown; readonly type: string },
): Html {
  const open = found.reduce((sum, group) => sum + group.open, 0);
  const more = next === undefined ? '' : ' on this page';
  return html`${found.length === 0 ? '' : html`<p class="served">${found.length.toLocaleString('en')} ${plural(found.length, 'group')}${more}, at least ${open.toLocaleString('en')} ${plural(open, 'dead letter')} in ${plural(found.length, 'it', 'them')}.</p>`}
  ${list({
    id: 'groups',
    caption: 'Dead letters by error',
    items: found,
    columns: [
      ['Error', errorCell],
      ['Type', ({ type: of }) => link(href(['dead-letters'], { type: of }), of)],
      ['Open', (group) => atLeast(group.open), 'number'],
      ['Seen', ({ seen }) => atLeast(seen), 'number'],
      ['Last seen', ({ lastSeen }) => when(lastSeen, request)],
      ['First seen', ({ firstSeen }) => when(firstSeen, request)],
      ['Sample', ({ sample }) => jobLink(sample)],
    ],
    href: groupHref,
    empty: nothing(state, type, next !== undefined),
  })}
  ${pager('/dead-letters', request.query, next)}`;
}

function errorCell(group: ErrorGroup): Html {
  const owner = group.owner === undefined ? '' : html` <span class="hint">${visible(group.owner)}</span>`;
  return html`<a class="error-text" href="${groupHref(group)}"><strong>${visible(group.errorName)}</strong></a> ${groupPill(group)}${owner}
    <span class="message">${visible(short(group.message))}</span>`;
}

function groupHref({ fingerprint }: ErrorGroup): string {
  return href(['dead-letters', fingerprint]);
}

function nothing(state: Shown, type: string, more: boolean): Html {
  if (more) return emptyState('Nothing on this page.', 'There may be more on the next one.');
  const all = link(href(['dead-letters'], { state: 'all' }), 'all groups');
  if (type !== '') return emptyState(`No such group of type ${type}.`, html`Look at ${all} of every type.`);
  if (state === 'open') return emptyState('No error group is open.', html`There is nothing to do. Closed groups are under ${all}.`);
  return emptyState('No error group yet.', 'The first dead letter makes one; groups are kept for 400 days after they were last seen.');
}

async function read(
  { admin, query, now }: PageRequest,
  state: Shown,
  type: string,
): Promise<ErrorGroupPage | { readonly problem: string }> {
  const after = query.get('after') ?? '';
  try {
    const asked = { state, limit: PAGE_SIZE, ...(type === '' ? {} : { type }), ...(after === '' ? {} : { after }) };
    const key = `${COUNTS}groups ${JSON.stringify(asked)}`;
    return await remembered({ owner: admin, key, ttlMs: GROUPS_MS, now: now() }, async () => admin.errorGroups(asked));
  } catch (error) {
    if (error instanceof InvalidInputError) return { problem: error.message };
    throw error;
  }
}
