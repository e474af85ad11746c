// oxlint-disable-next-line no-control-regex -- what it looks for: what turns the direction of a text round, is not seen, or moves a cursor
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A user's text with its unseen characters written out, as in `\u202e`: one that turns the direction round would turn what follows it on the
 * page round too. Lines and tabs stay. JSON text stays the same JSON.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
