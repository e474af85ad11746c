import { utf8Bytes } from '../core/limits.ts';
import type { Row } from '../ports/tables.ts';

/** Besides its attributes, as DynamoDB adds it to an item for storage. */
const ITEM_BYTES = 100;
/** No number takes more. */
const NUMBER_BYTES = 22;

const WRITE_UNIT_BYTES = 1_024;

/** Roughly what DynamoDB counts for a row, on the high side. */
export function rowBytes(row: Row): number {
  return ITEM_BYTES + attributeBytes(row, () => NUMBER_BYTES);
}

/** Write units of a row, of which a transaction takes twice as many: it pays for names and values only, and for two digits a byte. */
export function writeUnits(row: Row): number {
  return Math.ceil(attributeBytes(row, (value) => 1 + Math.ceil(String(value).length / 2)) / WRITE_UNIT_BYTES);
}

function attributeBytes(row: Row, plainBytes: (value: number | boolean) => number): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(row))
    bytes += utf8Bytes(name) + (typeof value === 'string' ? utf8Bytes(value) : plainBytes(value));
  return bytes;
}
