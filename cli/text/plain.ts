// Breaks of lines, what moves a terminal's cursor, and what turns the direction of text.
// oxlint-disable-next-line no-control-regex -- the characters that it takes out
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// oxlint-disable-next-line no-control-regex -- the same, but for line breaks
const UNSAFE_BUT_LINES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text on one line as a terminal may get it: what would steer the terminal is written out instead. */
export function plain(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** The same for texts of several lines, such as stacks. */
export function plainLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE_BUT_LINES, escaped);
}

/** One JSON document. JSON escapes what is below a space; the rest of what steers terminals is escaped here. */
export function jsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? 'null').replace(UNSAFE_BUT_LINES, escaped);
}
