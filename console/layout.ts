import { html } from 'hono/html';
import type { Html, Page, Session } from './page.ts';
import { PAGES } from './pages.ts';

/** The frame of a page; `about` identifies it in the browser's tab. */
interface Frame extends Pick<Page, 'title' | 'path' | 'live'> {
  readonly about?: string;
}

/** The whole document of a page. `main` is the part that a live page refreshes. */
export function layout(session: Session, page: Frame, main: Html): Html {
  const { place, write } = session;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.about === undefined ? '' : `${page.about} - `}${page.title} - ${place.name} - Nightcrew</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css" />
        <script src="/assets/console.js" type="module"></script>
      </head>
      <body data-live="${page.live === true ? 'yes' : ''}" data-place="${place.name}" data-zone="${session.zone}">
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top ${place.production ? 'production' : ''}">
          <a class="brand" href="/">Nightcrew</a>
          <span class="place"
            >${place.production ? html`<strong class="production-label">PRODUCTION</strong> ` : ''}<span class="place-name"
              >${place.name}</span
            ></span
          >
          ${write ? '' : html`<span class="badge" title="Start the console with --write to act.">read-only</span>`}
          <span class="grow"></span>
          <span class="zone" title="Times on every page are in this zone">${session.zone}</span>
          <form class="find" method="get" action="/find" role="search" aria-label="Search from every page">
            <input
              type="search"
              name="q"
              aria-label="Id of a job, or a text"
              placeholder="Job id or text"
              autocomplete="off"
              spellcheck="false"
            />
          </form>
          ${page.live === true ? html`<button type="button" class="quiet" data-pause aria-pressed="false">Pause</button>` : ''}
          <button type="button" class="quiet" data-keys aria-label="Show the keys">?</button>
        </header>
        <div class="body">
          ${navigation(page.path)}
          <main id="main" tabindex="-1" data-title="${page.title}">
            <h1>${page.title}</h1>
            ${main}
          </main>
        </div>
        <div id="toasts" role="status" aria-live="polite"></div>
      </body>
    </html>`;
}

function navigation(current: string): Html {
  const listed = PAGES.flatMap(({ nav, path }) => (nav === undefined ? [] : [{ ...nav, path }]));
  return html`<nav class="pages" aria-label="Pages">
    <ul>
      ${listed.map(
        ({ label, key, path }) =>
          html`<li>
            <a href="${path}" data-key="${key}" ${isUnder(current, path) ? html`aria-current="page"` : ''}
              >${label} <kbd aria-hidden="true">g ${key}</kbd></a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** `/jobs/:id` belongs to `/jobs`; everything would belong to `/`. */
const isUnder = (current: string, path: string): boolean => current === path || (path !== '/' && current.startsWith(`${path}/`));
