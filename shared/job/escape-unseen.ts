/**
 * What a reader does not see, what steers a terminal, what turns the direction of text, and half a surrogate pair. What joins or colours an emoji
 * stays where it follows one.
 */
const UNSEEN =
  /(?!\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)(?:\u200d|\ufe0f)/gu;

/** A text with such characters written out, as in `\u202e`, but for those in `keep`. JSON text stays the same JSON. */
export function escapeUnseen(text: string, keep = ''): string {
  return text.replace(UNSEEN, (found) => (keep.includes(found) ? found : found.split('').map(escaped).join('')));
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
