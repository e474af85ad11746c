import { html } from 'hono/html';
import { InvalidInputError, StoreRefusedError, StoreUnavailableError } from '../shared/core/errors.ts';
import type { Html } from './page.ts';
import { notice } from './parts/notices.ts';

/** A failure as people read it: which status it is, and what to do. Never a stack, and no text of an error that nobody wrote for people. */
export interface Told {
  readonly status: 400 | 403 | 500 | 502 | 503;
  readonly title: string;
  readonly message: string;
}

/** What an error of a page or an action says to people. */
export function toldOf(error: unknown): Told {
  if (error instanceof InvalidInputError) return { status: 400, title: 'That cannot be followed', message: error.message };
  if (error instanceof StoreUnavailableError) {
    const message = `${error.message} Nothing was lost. Try again in a moment; if it stays so, look at the throttles of the tables and at AWS's status.`;
    return { status: 503, title: 'The store did not answer', message };
  }
  if (error instanceof StoreRefusedError) {
    const message = `${error.message} Check that the credentials of this console are still good (sign in again), that they may operate this deployment (grantOperate), and that its tables are there.`;
    return { status: 502, title: 'The store refused', message };
  }
  const name = error instanceof Error ? error.name : 'unknown';
  return {
    status: 500,
    title: 'This page failed',
    message: `An error that nobody expected (${name}). The terminal of the console tells it in full.`,
  };
}

/** Body of a page that failed. */
export function failedMain({ title, message }: Told): Html {
  return html`${notice('bad', title, message)}
    <p><a href="">Try again</a> or go to the <a href="/">overview</a>.</p>`;
}

/** A page without session, navigation and script, for whoever may not look. */
export function plainPage(title: string, text: Html | string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Nightcrew</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/assets/login.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <div id="said" role="status">${text}</div>
        </main>
      </body>
    </html>`;
}
