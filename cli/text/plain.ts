import { escapeUnseen } from '../../shared/core/unseen.ts';

/** A text on one line as a terminal may get it: what would steer the terminal, or would not be seen, is written out instead. */
export function plain(text: string): string {
  return escapeUnseen(text);
}

/** The same for texts of several lines, such as stacks. */
export function plainLines(text: string): string {
  return escapeUnseen(text.replace(/\r\n/g, '\n'), '\n');
}

/** One JSON document. JSON escapes what is below a space; the rest of what steers terminals is escaped here. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent) ?? 'null', '\n');
}
