import { escapeUnseen } from '../../shared/core/unseen.ts';

/**
 * A user's text with its unseen characters written out, as in `\u202e`: one that turns the direction round would turn what follows it on the
 * page round too. Lines and tabs stay. JSON text stays the same JSON.
 */
export function visible(text: string): string {
  return escapeUnseen(text, '\n\t');
}

/** A whole page in which every text is visible; what a field holds stays as it is, because it is sent again. */
export function visibleMarkup(page: { toString(): string }): string {
  return page
    .toString()
    .split(/(\svalue="[^"]*")/)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join('');
}
