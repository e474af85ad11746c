import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { backOff } from '../aws/backoff.ts';
import { portError } from '../aws/call-failure.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../job/errors.ts';
import { mapLimited } from '../../job/map-limited.ts';
import { batchesOf } from '../../ports/put-batches.ts';
import { keyOf, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Row, TableName, WriteWindow } from '../../ports/tables.ts';
import { askConsumed, beginEffort, call, type DynamoDeps, type Effort, latestTry, reportConsumed } from './caller.ts';
import { toItem, toRow } from './marshal.ts';

const TRIES = 6;
const BASE_MS = 50;

/** The result of a batch: the rows that may not have been written, and the refusal if the batch was refused. */
interface PutResult {
  readonly left: readonly Row[];
  readonly refusal?: StoreRefusedError;
}

/**
 * Puts rows in batches, several at a time, and resends unprocessed rows. Returns the rows of which it is
 * not known that they were written. Throws StoreRefusedError only if a batch was refused and no row can have been written.
 */
export async function putRows(deps: DynamoDeps, table: TableName, rows: readonly Row[], window?: WriteWindow): Promise<readonly Row[]> {
  // DynamoDB refuses a batch that names a row twice; the last one wins, as it would one by one.
  const latest = [...new Map(rows.map((row) => [keyText(table, row), row])).values()];
  const { batches, parallel } = batchesOf(latest);
  const efforts: Effort[] = [];
  const results = await mapLimited(batches, parallel, (batch) => {
    const effort = beginEffort(deps, window);
    efforts.push(effort);
    return putBatch(deps, table, batch, effort);
  });
  const left = results.flatMap((result) => result.left);
  const refusal = results.find((result) => result.refusal !== undefined)?.refusal;
  if (refusal !== undefined && efforts.every(({ attempts }) => attempts.unsure === 0)) throw refusal;
  return left;
}

async function putBatch(deps: DynamoDeps, table: TableName, batch: readonly Row[], effort: Effort): Promise<PutResult> {
  let left = batch;
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    if (tries > 0 && !(await backOff(deps, tries - 1, BASE_MS, latestTry(effort)))) break;
    try {
      left = await putOnce(deps, table, left, effort);
    } catch (error) {
      const known = portError('putAll', error);
      if (!(known instanceof StoreUnavailableError)) return { left, refusal: known };
    }
  }
  return { left };
}

/** Puts rows of one table in one request; gives back those that DynamoDB did not process. Throws what the SDK throws. */
export async function putOnce(deps: DynamoDeps, table: TableName, rows: readonly Row[], effort: Effort): Promise<readonly Row[]> {
  const name = deps.names[table];
  const command = new BatchWriteItemCommand({
    RequestItems: { [name]: rows.map((row) => ({ PutRequest: { Item: toItem(row) } })) },
    ...askConsumed(deps),
  });
  const { UnprocessedItems: unprocessed, ConsumedCapacity: consumed } = await call(deps, command, effort);
  reportConsumed(deps, { kind: 'write', operation: 'batch' }, consumed);
  // One table, which DynamoDB may name otherwise than the request: by its name where that has an ARN.
  const left = new Set(
    Object.values(unprocessed ?? {})
      .flat()
      .map((request) => keyText(table, toRow(request.PutRequest?.Item ?? {}))),
  );
  return rows.filter((row) => left.has(keyText(table, row)));
}

function keyText(table: TableName, row: Row): string {
  return JSON.stringify(keyOf(TABLE_SPECS[table], row));
}
