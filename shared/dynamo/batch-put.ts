import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { backOff, chunks } from '../aws/backoff.ts';
import { mapLimited } from '../core/map-limited.ts';
import { portError } from '../aws/call-failure.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { keyOf, TABLE_SPECS } from '../ports/table-spec.ts';
import type { Row, TableName, WriteWindow } from '../ports/tables.ts';
import { askConsumed, call, type DynamoParts, isTooLate, reportConsumed } from './caller.ts';
import { toItem, toRow } from './marshal.ts';

// 25 rows of 400 KB are below the 16 MB that a batch may have.
const BATCH_ROWS = 25;
const PARALLEL_BATCHES = 8;
const TRIES = 6;
const BASE_MS = 50;

/**
 * Puts rows in batches, several at a time, and sends again what DynamoDB left unprocessed. Gives back the rows of which it is
 * not known that they were written; throws only for a batch that was refused, after the others have ended.
 */
export async function putRows(parts: DynamoParts, table: TableName, rows: readonly Row[], window?: WriteWindow): Promise<readonly Row[]> {
  // DynamoDB refuses a batch that names a row twice; the last one wins, as it would one by one.
  const latest = new Map(rows.map((row) => [keyText(table, row), row]));
  const left = await mapLimited(chunks([...latest.values()], BATCH_ROWS), PARALLEL_BATCHES, (batch) =>
    putBatch(parts, table, batch, window),
  );
  return left.flat();
}

async function putBatch(
  parts: DynamoParts,
  table: TableName,
  batch: readonly Row[],
  window: WriteWindow | undefined,
): Promise<readonly Row[]> {
  let left = batch;
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    if (tries > 0) await backOff(parts, tries - 1, BASE_MS);
    if (isTooLate(parts, window)) break;
    left = await putOnce(parts, table, left, window);
  }
  return left;
}

async function putOnce(
  parts: DynamoParts,
  table: TableName,
  rows: readonly Row[],
  window: WriteWindow | undefined,
): Promise<readonly Row[]> {
  const name = parts.names[table];
  try {
    const command = new BatchWriteItemCommand({
      RequestItems: { [name]: rows.map((row) => ({ PutRequest: { Item: toItem(row) } })) },
      ...askConsumed(parts),
    });
    const { UnprocessedItems: unprocessed, ConsumedCapacity: consumed } = await call(parts, command, window);
    reportConsumed(parts, { kind: 'write', operation: 'batch' }, consumed);
    const left = new Set((unprocessed?.[name] ?? []).map((request) => keyText(table, toRow(request.PutRequest?.Item ?? {}))));
    return rows.filter((row) => left.has(keyText(table, row)));
  } catch (error) {
    const known = portError('putAll', error);
    if (known instanceof StoreUnavailableError) return rows;
    throw known;
  }
}

function keyText(table: TableName, row: Row): string {
  return JSON.stringify(keyOf(TABLE_SPECS[table], row));
}
