import { escapeUnseen } from '../../shared/job/escape-unseen.ts';

/** A text made safe for a terminal, on one line: control and invisible characters are escaped. */
export function plain(text: string): string {
  return escapeUnseen(text);
}

/** The same for texts of several lines, such as stacks. */
export function plainLines(text: string): string {
  return escapeUnseen(text.replace(/\r\n/g, '\n'), '\n');
}

/** One JSON document. JSON escapes characters below a space; other characters that control terminals are escaped here. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, undefined, indent) ?? 'null', '\n');
}
