import { html } from 'hono/html';
import {
  InvalidInputError,
  PayloadTooLargeError,
  RowUnreadableError,
  StoreRefusedError,
  StoreUnavailableError,
} from '../shared/job/errors.ts';
import { quotedPaths } from '../operate/bulk/quoted-paths.ts';
import { quotedText } from './jobs/quoted-text.ts';
import type { Html } from './page.ts';
import { notice } from './parts/notices.ts';

/** A failure for display: its status, and what to do. Never a stack, and no message that was not written for users. */
export interface ErrorText {
  readonly status: 400 | 403 | 409 | 500 | 502 | 503;
  readonly title: string;
  readonly message: string;
}

/** What happens to an unreadable row. */
export const SET_ASIDE =
  'The next executor, acquirer or sweeper that reads a damaged job moves it to the dead letters with reason unreadable, where it can be deleted.';

const INVALID = 'This request is not valid';

/** The text for an error of a page or an action. A write without an answer may have been applied. With `redact` it quotes no payload. */
export function errorTextOf(error: unknown, of: 'page' | 'action' = 'page', redact: readonly string[] = []): ErrorText {
  if (error instanceof InvalidInputError)
    return { status: 400, title: INVALID, message: quotedText(error.message, quotedPaths(error), redact) };
  if (error instanceof PayloadTooLargeError) return { status: 400, title: INVALID, message: error.message };
  if (error instanceof StoreUnavailableError) {
    const first =
      of === 'page'
        ? 'Nothing was lost. Try again in a moment'
        : 'The action may have been done, fully or in part. Check its result first, and repeat it only if it was not done';
    const message = `${error.message} ${first}; if the error persists, look at the tables' throttling and at the AWS status page.`;
    return { status: 503, title: 'The store did not answer', message };
  }
  if (error instanceof RowUnreadableError) {
    // Its message shows the attribute's value, which may be a payload.
    const [, attribute = 'of it'] = /attribute (\S+) holds/.exec(error.message) ?? [];
    const message = `Its attribute ${attribute} has an unreadable value. Nothing was changed. ${SET_ASIDE}`;
    return { status: 409, title: 'This row cannot be read', message };
  }
  if (error instanceof StoreRefusedError) {
    const message = `${error.message} Check that the console's credentials have not expired (sign in again), that they may operate this deployment (grantOperate), and that its tables exist.`;
    return { status: 502, title: 'The store refused', message };
  }
  const name = error instanceof Error ? error.name : 'unknown';
  return {
    status: 500,
    title: 'This page failed',
    message: `Unexpected error (${name}). The console's terminal shows the details.${of === 'page' ? '' : ' Check the result of the action before you repeat it.'}`,
  };
}

/** Body of a page that failed. */
export function failedMain({ title, message }: ErrorText): Html {
  return html`${notice('bad', title, message)}
    <p><a href="">Try again</a> or go to the <a href="/">overview</a>.</p>`;
}

/** A page without session, navigation and script, for requests without access. */
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
