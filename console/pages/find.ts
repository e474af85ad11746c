import { html } from 'hono/html';
import { isJobId } from '../../shared/job/job-id.ts';
import { LIMITS } from '../../shared/job/size-limits.ts';
import type { GoTo, Html, Page, PageRequest } from '../page.ts';
import { href, link } from '../parts/links.ts';
import { notice } from '../parts/notices.ts';

/** The results for the search box: the id of a job, or a text in some job. */
export const findPage: Page = { path: '/find', title: 'Find', render };

async function render({ admin, query, redact }: PageRequest): Promise<Html | GoTo> {
  const text = (query.get('q') ?? '').trim();
  const id = text.toLowerCase();
  const job = isJobId(id) ? await admin.find(id) : undefined;
  if (job !== undefined) return { goTo: href(['jobs', job.id]) };
  const [first, ...more] = text === '' ? [] : places(text, redact.length === 0);
  const unknown = isJobId(id)
    ? notice(
        'warn',
        'There is no job with this id here',
        'It finished and History no longer keeps it, it was cancelled, or it belongs to another deployment.',
      )
    : '';
  return html`<form class="filters" method="get" action="/find" role="search" aria-label="Search again">
      <label>Id of a job, or a text<input type="search" name="q" value="${text}" data-search size="44" /></label>
      <button type="submit">Find</button>
    </form>
    ${unknown}
    ${
      first === undefined
        ? notice(
            'plain',
            'What are you looking for?',
            'Type the id of a job, its type, its unique key, a group, a correlation id, or a text of its payload or error.',
          )
        : html`<ul class="found">
            <li>${first}</li>
            ${more.map((one) => html`<li>${one}</li>`)}
          </ul>`
    }`;
}

/** Possible searches for the text, cheapest first; table scans are only offered. */
function places(text: string, searched: boolean): readonly Html[] {
  const short = text.slice(0, 200);
  return [
    ...(/^[\w.:/-]{1,100}$/.test(text) ? [link(href(['jobs'], { type: text }), html`Jobs of type ${text}`)] : []),
    ...(text.length <= LIMITS.nameChars
      ? [link(href(['find', 'key'], { key: text }), html`The job that holds the unique key ${text}`)]
      : []),
    link(href(['jobs'], { correlationId: short }), html`Jobs with correlation id ${short}`),
    link(href(['jobs'], { group: short }), html`Jobs of group ${short}`),
    link(href(['jobs'], { tenant: short }), html`Jobs of tenant ${short}`),
    ...(searched
      ? [
          link(
            href(['jobs'], { text: short }),
            html`Jobs with “${short}” in payload or error <span class="hint">(reads whole tables, page by page)</span>`,
          ),
        ]
      : []),
  ];
}
