import { utf8Bytes } from '../core/limits.ts';
import type { Row } from '../ports/tables.ts';

/** Besides its attributes, as DynamoDB adds it to an item for storage. */
const ITEM_BYTES = 100;
/** No number takes more. */
const NUMBER_BYTES = 22;

/** Roughly what DynamoDB counts for a row, on the high side. */
export function rowBytes(row: Row): number {
  let bytes = ITEM_BYTES;
  for (const [name, value] of Object.entries(row)) bytes += utf8Bytes(name) + (typeof value === 'string' ? utf8Bytes(value) : NUMBER_BYTES);
  return bytes;
}
