import { escapeUnseen } from '../../shared/job/escape-unseen.ts';

/**
 * A user's text with invisible characters escaped, as in `\u202e`: one that changes the writing direction would affect the rest of the
 * page round too. Lines and tabs stay. JSON text stays the same JSON.
 */
export function visible(text: string): string {
  return escapeUnseen(text, '\n\t');
}

/** A whole page with every text made visible; values of fields are unchanged, because they are sent back. */
export function visibleMarkup(page: { toString(): string }): string {
  return page
    .toString()
    .split(/(\svalue="[^"]*")/)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join('');
}
