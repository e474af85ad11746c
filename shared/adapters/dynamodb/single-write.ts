import {
  type AttributeValue,
  type ConsumedCapacity,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { backOff } from '../aws/backoff.ts';
import { nameOf, portError } from '../aws/call-failure.ts';
import { defined } from '../../job/defined.ts';
import { keyOf, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Row, RowKey, SingleWrite, TableName, Write, WriteOutcome } from '../../ports/tables.ts';
import { askConsumed, call, type DynamoDeps, type Effort, latestTry, reportConsumed } from './caller.ts';
import { holdsWithoutRow } from './expression.ts';
import { type Item, toItem, toRow } from './marshal.ts';
import { deleteInput, putInput, updateInput } from './write-input.ts';

/** How often a write that meets another's transaction is tried again, and the first wait in between. */
export const CONFLICT_RETRIES = 5;
export const CONFLICT_BASE_MS = 25;

/**
 * One conditional write by itself. `attempts` counts those that may have been applied and the one that was answered. An attempt that DynamoDB itself
 * turned away was certainly not applied.
 */
export async function writeOne(deps: DynamoDeps, write: SingleWrite, effort: Effort): Promise<WriteOutcome> {
  const { attempts } = effort;
  for (let tries = 0; ; tries += 1) {
    try {
      const { Attributes: item, ConsumedCapacity: consumed } = await send(deps, write, effort);
      reportConsumed(deps, { kind: 'write', operation: write.op }, consumed);
      return { applied: true, ...(item === undefined ? {} : { row: toRow(item) }), attempts: attempts.unsure };
    } catch (error) {
      const name = nameOf(error);
      if (name === 'ConditionalCheckFailedException') {
        const row = await rowThatIsThere(deps, write, (error as { readonly Item?: Item }).Item);
        return { applied: false, ...defined({ row }), attempts: attempts.unsure + 1 };
      }
      const again = name === 'TransactionConflictException' && tries < CONFLICT_RETRIES;
      if (!again || !(await backOff(deps, tries, CONFLICT_BASE_MS, latestTry(effort)))) throw portError(write.op, error, attempts);
    }
  }
}

/** A row as it is now, consistently read. */
export async function getRow(deps: DynamoDeps, table: TableName, key: RowKey): Promise<Row | undefined> {
  try {
    const command = new GetItemCommand({ TableName: deps.names[table], Key: toItem(key), ConsistentRead: true, ...askConsumed(deps) });
    const { Item: item, ConsumedCapacity: consumed } = await call(deps, command);
    reportConsumed(deps, { kind: 'read', operation: 'get' }, consumed);
    return item === undefined ? undefined : toRow(item);
  } catch (error) {
    throw portError('get', error);
  }
}

/**
 * The row that made a condition fail. DynamoDB sends it along; where an emulator does not although there must be one, because
 * the condition holds for no row, it is read.
 */
export async function rowThatIsThere(deps: DynamoDeps, write: Write, item: Item | undefined): Promise<Row | undefined> {
  if (item !== undefined && Object.keys(item).length > 0) return toRow(item);
  if (write.condition === undefined || !holdsWithoutRow(write.condition)) return undefined;
  return getRow(deps, write.table, write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key);
}

interface Sent {
  /** The new row of an update, the old row of a delete. */
  readonly Attributes?: Record<string, AttributeValue> | undefined;
  readonly ConsumedCapacity?: ConsumedCapacity | undefined;
}

function send(deps: DynamoDeps, write: SingleWrite, effort: Effort): Promise<Sent> {
  const { names } = deps;
  const asked = askConsumed(deps);
  switch (write.op) {
    case 'put':
      return call(deps, new PutItemCommand({ ...putInput(write, names), ...asked }), effort);
    case 'update':
      return call(deps, new UpdateItemCommand({ ...updateInput(write, names), ReturnValues: 'ALL_NEW', ...asked }), effort);
    case 'delete':
      return call(
        deps,
        new DeleteItemCommand({ ...deleteInput(write, names), ReturnValues: write.quiet === true ? 'NONE' : 'ALL_OLD', ...asked }),
        effort,
      );
  }
}
