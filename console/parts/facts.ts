import { html } from 'hono/html';
import type { Html } from '../page.ts';
import type { Tone } from './pills.ts';
import type { Cell } from './table.ts';

/** Names with their values; those without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Cell])[]): Html {
  const given = entries.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts">
    ${given.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A delayed count: executors write their counts with a delay, so there may be more. */
export function atLeast(count: number): string {
  return count === 0 ? '0' : `≥\u00a0${count.toLocaleString('en')}`;
}

/** A figure that is read at a glance. */
export interface Tile {
  readonly label: string;
  readonly value: Cell;
  /** A second line: the meaning or source of the figure. */
  readonly detail?: Cell;
  readonly tone?: Tone;
  readonly href?: string;
}

/** Figures side by side. */
export function tiles(given: readonly Tile[]): Html {
  return html`<div class="tiles">${given.map(tileOf)}</div>`;
}

function tileOf({ label, value, detail, tone = 'plain', href }: Tile): Html {
  const inside = html`<span class="tile-label">${label}</span><span class="tile-value">${value}</span
    ><span class="tile-detail">${detail ?? ''}</span>`;
  return href === undefined ? html`<div class="tile ${tone}">${inside}</div>` : html`<a class="tile ${tone}" href="${href}">${inside}</a>`;
}

/** A part of a page under a heading. `id` is unique on the page. */
export function section(id: string, title: string, body: Html, aside?: Html): Html {
  return html`<section class="panel" aria-labelledby="${id}">
    <header class="panel-head">
      <h2 id="${id}">${title}</h2>
      ${aside ?? ''}
    </header>
    ${body}
  </section>`;
}
