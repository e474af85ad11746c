import type { Quoting } from '../../operate/bulk/quoted-paths.ts';

/** The text of an error, or where fields of payloads are hidden and it may quote them, what it is about. */
export function quotedText(text: string, { paths }: Quoting, redact: readonly string[]): string {
  if (redact.length === 0 || paths === undefined) return text;
  if (paths.length === 0) return 'Its error is hidden, because it may quote the payload (option redact).';
  return `The payload does not fit its schema at: ${paths.join(', ')}. The messages may quote it and are hidden (option redact).`;
}
