import { html } from 'hono/html';
import type { EraseScope, ErasureReport } from '../../operate/erase/erasure.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defined } from '../../shared/job/defined.ts';
import { erasedTable, erasureStatus, notErased, scopeText, totalErased } from '../parts/erasure-parts.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { actionButton } from '../parts/action-button.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pager } from '../parts/pager.ts';
import { list } from '../parts/table.ts';
import { when } from '../parts/times.ts';

const LIMIT = 50;

/** Counts what an erasure would remove, starts one, and lists those of the last 400 days. */
export const erasuresPage: Page = { path: '/erasures', title: 'Erasures', nav: { label: 'Erasures', key: 'e' }, render };

async function render(request: PageRequest): Promise<Html> {
  const before = request.query.get('before') ?? '';
  const erasures = await request.admin.erasures({ limit: LIMIT, ...(before === '' ? {} : { before }) });
  const scope = scopeIn(request.query);
  return html`${section('scope', 'What is kept of a job, a type or a tenant', scopeForm(scope))} ${await preview(request, scope)}
  ${list({
    id: 'erasures',
    caption: 'Erasures, newest first',
    items: erasures,
    columns: [
      ['Of', (one) => link(pageOf(one), scopeText(one.scope))],
      ['State', (one) => erasureStatus(request, one)],
      ['Rows erased', (one) => totalErased(one).toLocaleString('en'), 'number'],
      ['Live jobs left', ({ live }) => live.toLocaleString('en'), 'number'],
      ['Begun', ({ startedAt }) => when(startedAt, request)],
      ['By', ({ actor }) => actor],
      ['Why', ({ reason }) => reason ?? ''],
    ],
    href: pageOf,
    empty: emptyState('Nothing was erased yet.', 'Each erasure is listed for 400 days, with the ids of the jobs and no content of theirs.'),
  })}
  ${pager('/erasures', request.query, erasures.length < LIMIT ? undefined : erasures.at(-1)?.id, 'before')}
  ${inTerminal(request, ['erase', 'list'])}`;
}

function scopeIn(query: URLSearchParams): EraseScope {
  const field = (name: string): string | undefined => (query.get(name) ?? '').trim() || undefined;
  return defined({ id: field('id'), type: field('type'), tenant: field('tenant') });
}

function scopeForm({ id = '', type = '', tenant = '' }: EraseScope): Html {
  return html`<form class="filters" method="get" action="/erasures" aria-label="What to erase">
    <div class="filter-row">
      <label>Tenant<input name="tenant" value="${tenant}" autocomplete="off" spellcheck="false" /></label>
      <label>Type<input name="type" value="${type}" autocomplete="off" spellcheck="false" /></label>
      <label class="wide">Job id<input name="id" value="${id}" autocomplete="off" spellcheck="false" /></label>
      <span class="send"><button type="submit">Count</button></span>
    </div>
    <p class="hint">All given fields must match. Counting writes nothing; it reads all of History, unless a job is named.</p>
  </form>`;
}

/** A dry run, and the button that erases what it counted. */
async function preview(request: PageRequest, scope: EraseScope): Promise<Html> {
  if (Object.keys(scope).length === 0) return html``;
  const counted = await dryRun(request, scope);
  if (counted instanceof InvalidInputError) return notice('bad', 'This cannot be counted', counted.message);
  const erase = {
    label: 'Erase…',
    action: 'erase',
    body: { ...scope },
    bulk: true,
    danger: true,
    confirm: `The data of ${scopeText(scope)} is removed for good. This cannot be undone.`,
    fields: [
      { name: 'reason', label: 'Why: the audit keeps it as proof', required: true },
      { name: 'cancelLive', label: 'Cancel live jobs, and ask running ones to stop', kind: 'flag' },
      { name: 'ratePerSecond', label: 'Rows per second', kind: 'number', hint: 'Empty: 200.' },
    ],
  } as const;
  const body = html`${erasedTable(counted)} ${notErased(counted)}
    <div class="buttons">${actionButton(request, erase)}</div>`;
  return section('preview', `An erasure of ${scopeText(scope)} would remove`, body);
}

async function dryRun(request: PageRequest, scope: EraseScope): Promise<ErasureReport | InvalidInputError> {
  try {
    return await request.admin.erase(scope);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}

const pageOf = ({ id = '' }: ErasureReport): string => href(['erasures', id]);
