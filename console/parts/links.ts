import { html } from 'hono/html';
import type { Html } from '../page.ts';

type QueryValue = string | number | undefined;

/**
 * A path of this console: every segment and value is encoded, so that data can neither leave the path nor become a scheme.
 * `href(['jobs', id])`, `href(['jobs'], { type })`; values that are undefined or empty are left out.
 */
export function href(segments: readonly string[], query: Readonly<Record<string, QueryValue>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  // An empty segment would turn the rest into `//host`.
  const path = segments.filter((segment) => segment !== '').map(encodeURIComponent);
  return `/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** A link within the console; `to` is made by `href`. */
export function link(to: string, label: string | number | Html): Html {
  return html`<a href="${to}">${label}</a>`;
}

/** The id of a job as a link to its page, short enough for a table: its whole text is in the tooltip. */
export function jobLink(id: string): Html {
  return html`<a class="id" href="${href(['jobs', id])}" title="${id}">${id.length > 14 ? `…${id.slice(-12)}` : id}</a>`;
}
