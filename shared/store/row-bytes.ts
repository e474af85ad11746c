import { utf8Bytes } from '../core/limits.ts';
import type { Row } from '../ports/tables.ts';

/** Roughly what DynamoDB counts for a row, on the high side. */
export function rowBytes(row: Row): number {
  return Object.entries(row).reduce(
    (sum, [name, value]) => sum + utf8Bytes(name) + (typeof value === 'string' ? utf8Bytes(value) : 22),
    100,
  );
}
