import { html } from 'hono/html';
import type { Html } from './page.ts';

/** The page that a link opens: its script posts the token of the fragment, which no server and no log ever sees in an address. */
export const LOGIN_PAGE: Html = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Open the console - Nightcrew</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/assets/login.css" />
      <script src="/assets/login.js" type="module"></script>
    </head>
    <body>
      <main>
        <h1>Nightcrew</h1>
        <div id="said" role="status">Opening the console.</div>
        <noscript>The console needs JavaScript of its own, and nothing from elsewhere.</noscript>
      </main>
    </body>
  </html>`;
