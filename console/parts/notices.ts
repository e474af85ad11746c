import { html } from 'hono/html';
import type { Html } from '../page.ts';
import type { Tone } from './pills.ts';

/** A notice, with what to do about it. */
export function notice(tone: Tone, title: string, text: Html | string): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'note'}">
    <strong>${title}</strong>
    <div>${text}</div>
  </div>`;
}

/** An empty list: its meaning, and possible actions. */
export function emptyState(title: string, whatToDo: Html | string): Html {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${whatToDo}</p>
  </div>`;
}
