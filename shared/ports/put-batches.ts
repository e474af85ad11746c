import type { Row } from './tables.ts';

const BATCH_ROWS = 25;
// DynamoDB takes 16 MB. A line of 8 Mbit/s needs a second for this, an attempt has some.
const BATCH_BYTES = 1_000_000;
const PARALLEL_BATCHES = 8;
// What may be under way at once, so that a slow line moves every batch before its silence is taken for death.
const PARALLEL_BYTES = 2_000_000;
// Names and types of attributes, and what escaping adds.
const BYTES_PER_ATTRIBUTE = 30;

/** The batches of a putAll: at most 25 rows and about 1 MB each, and how many of them may be under way at once. */
export function batchesOf(rows: readonly Row[]): { readonly batches: readonly (readonly Row[])[]; readonly parallel: number } {
  const batches: Row[][] = [];
  let [current, bytes, largest]: [Row[], number, number] = [[], 0, 1];
  for (const row of rows) {
    const more = bytesOf(row);
    if (current.length === 0 || current.length === BATCH_ROWS || bytes + more > BATCH_BYTES) {
      [current, bytes] = [[], 0];
      batches.push(current);
    }
    current.push(row);
    bytes += more;
    largest = Math.max(largest, bytes);
  }
  return { batches, parallel: Math.max(1, Math.min(PARALLEL_BATCHES, Math.floor(PARALLEL_BYTES / largest))) };
}

function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row)) bytes += BYTES_PER_ATTRIBUTE + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  return bytes;
}
