import { html } from 'hono/html';
import type { Html, Session } from '../page.ts';

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A button that copies `text`. */
export function copyButton(text: string, label = 'Copy'): Html {
  return html`<button type="button" class="quiet copy" data-copy="${text}">${label}</button>`;
}

/** Words as a line for a POSIX shell: special characters are quoted, so that data stays one word. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
}

/** The CLI's command that does or shows the same for this deployment: `command(session, 'explain', id)` is `nightcrew explain <id> --stack shop`. */
export function command({ place }: Pick<Session, 'place'>, ...words: readonly string[]): Html {
  const line = shellLine(['nightcrew', ...words, ...(place.words ?? [])]);
  return html`<div class="command"><code>${line}</code>${copyButton(line)}</div>`;
}

/** A longer text as it is, with a button that copies it. */
export function codeBlock(text: string, label: string): Html {
  return html`<div class="code">
    ${copyButton(text)}
    <pre tabindex="0" aria-label="${label}">${text}</pre>
  </div>`;
}

/** The commands that correspond to a page, each with its words. */
export function inTerminal(session: Pick<Session, 'place'>, ...commands: readonly (readonly string[])[]): Html {
  return html`<h2 class="small" id="in-terminal">In the terminal</h2>
    ${commands.map((words) => command(session, ...words))}`;
}
