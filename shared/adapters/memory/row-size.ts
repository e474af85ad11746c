import { utf8Bytes } from '../../job/size-limits.ts';
import type { Row } from '../../ports/tables.ts';

/** Bytes of a row as DynamoDB counts them: names and texts in UTF-8, a number by its digits, a boolean one. */
export function rowBytes(row: Row): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(row)) {
    bytes += utf8Bytes(name);
    if (typeof value === 'string') bytes += utf8Bytes(value);
    else bytes += typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : 1;
  }
  return bytes;
}

/** Read units of a page: 4 KB each, half of that when the read is eventually consistent; an empty page costs one. */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);
}
