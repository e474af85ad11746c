import { html } from 'hono/html';
import type { Html } from '../page.ts';

/**
 * The way to the first and the next page of a list. `query` is that of the request, so that filters stay; `parameter` carries the cursor.
 */
export function pager(path: string, query: URLSearchParams, next: string | undefined, parameter = 'after'): Html {
  const began = query.has(parameter);
  if (!began && next === undefined) return html``;
  return html`<nav class="pager" aria-label="Pages of this list">
    ${began ? html`<a href="${withParameter(path, query, parameter, undefined)}">First page</a>` : ''}
    ${
      next === undefined
        ? html`<span class="none">Last page</span>`
        : html`<a rel="next" href="${withParameter(path, query, parameter, next)}">Next page</a>`
    }
  </nav>`;
}

function withParameter(path: string, query: URLSearchParams, name: string, value: string | undefined): string {
  const changed = new URLSearchParams(query);
  changed.delete(name);
  if (value !== undefined) changed.set(name, value);
  return changed.size === 0 ? path : `${path}?${changed.toString()}`;
}
