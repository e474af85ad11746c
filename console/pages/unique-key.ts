import { html } from 'hono/html';
import type { FoundByKey, HeldKey } from '../../operate/jobs/read-verbs.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { jobsHref } from '../jobs/job-query.ts';
import type { GoTo, Html, Page, PageRequest } from '../page.ts';
import { href, link } from '../parts/links.ts';
import { notice } from '../parts/notices.ts';
import { statePill } from '../parts/pills.ts';
import { when } from '../parts/times.ts';

/** The job that holds a unique key, by the key alone or by its type and tenant too. */
export const uniqueKeyPage: Page = { path: '/find/key', title: 'Unique key', render };

interface Asked {
  readonly key?: string;
  readonly type?: string;
  readonly tenant?: string;
}

async function render(request: PageRequest): Promise<Html | GoTo> {
  const given = (name: keyof Asked): string | undefined => {
    const text = request.query.get(name) ?? '';
    return text === '' ? undefined : text;
  };
  const asked: Asked = defined({ key: given('key'), type: given('type')?.trim(), tenant: given('tenant') });
  const found = await foundBy(request, asked);
  if (found instanceof InvalidInputError) return html`${form(asked)} ${notice('bad', 'This key cannot be looked up', found.message)}`;
  const [first, ...more] = found?.held ?? [];
  if (first?.job !== undefined && more.length === 0) return { goTo: href(['jobs', first.id]) };
  return html`${form(asked)} ${found === undefined ? '' : answer(request, asked, found)}`;
}

async function foundBy({ admin }: PageRequest, { key, ...place }: Asked): Promise<FoundByKey | InvalidInputError | undefined> {
  if (key === undefined) return undefined;
  try {
    return await admin.findByKey(key, place);
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
}

function form({ key = '', type = '', tenant = '' }: Asked): Html {
  return html`<form class="filters" method="get" action="/find/key" role="search" aria-label="Find by unique key">
    <label>Unique key<input type="search" name="key" value="${key}" data-search size="44" spellcheck="false" /></label>
    <label>Type<input name="type" value="${type}" placeholder="any known" autocomplete="off" spellcheck="false" /></label>
    <label>Tenant<input name="tenant" value="${tenant}" placeholder="none" autocomplete="off" spellcheck="false" /></label>
    <button type="submit">Find</button>
  </form>`;
}

function answer(request: PageRequest, asked: Asked, { held, types }: FoundByKey): Html {
  if (held.length > 0) return html`<ul class="found">${held.map((one) => html`<li>${holder(request, one)}</li>`)}</ul>`; // oxfmt-ignore
  const place = asked.tenant === undefined ? 'without a tenant' : `of tenant ${asked.tenant}`;
  const known = types.length === 1 ? 'the only known type' : `any of the ${types.length} known types`;
  const looked = asked.type === undefined ? known : `type ${asked.type}`;
  const search = { state: ['dead', 'finished'], text: (asked.key ?? '').slice(0, 200) } as const;
  return notice(
    'warn',
    'No job holds this key',
    html`No job ${place} of ${looked} holds it. A job that is finished or cancelled, or is a dead letter, holds none.
    ${request.redact.length > 0 ? '' : link(jobsHref(search), 'Dead letters and finished jobs with this text in payload or error')}`,
  );
}

function holder(request: PageRequest, { type, id, job, until }: HeldKey): Html {
  const lasts = until === undefined ? '' : html`, until ${when(until, request)}`;
  if (job === undefined) return html`<span class="id">${id}</span> of type ${type} holds it${lasts}, but is nowhere, or History no longer keeps it.`; // oxfmt-ignore
  return html`${link(href(['jobs', id]), id)} ${statePill(job.state)} of type ${type}${lasts}`;
}
