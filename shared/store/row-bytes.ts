import { utf8Bytes } from '../job/size-limits.ts';
import type { Row } from '../ports/tables.ts';

/** The overhead that DynamoDB adds to each item for storage. */
const ITEM_BYTES = 100;
/** No number takes more. */
const NUMBER_BYTES = 22;

const WRITE_UNIT_BYTES = 1_024;

/** Roughly what DynamoDB counts for a row, on the high side. */
export function rowBytes(row: Row): number {
  return ITEM_BYTES + attributeBytes(row, () => NUMBER_BYTES);
}

/** Write units of a row; a transaction takes twice as many. Counts names and values only, and one byte per two digits. */
export function writeUnits(row: Row): number {
  return Math.ceil(attributeBytes(row, (value) => 1 + Math.ceil(String(value).length / 2)) / WRITE_UNIT_BYTES);
}

function attributeBytes(row: Row, plainBytes: (value: number | boolean) => number): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(row))
    bytes += utf8Bytes(name) + (typeof value === 'string' ? utf8Bytes(value) : plainBytes(value));
  return bytes;
}
