import { type AttributeValue, type ConsumedCapacity, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { portError } from '../aws/call-failure.ts';
import { defined } from '../../job/defined.ts';
import { StoreRefusedError } from '../../job/errors.ts';
import { type KeySpec, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Page, Query, RowKey, Scan } from '../../ports/tables.ts';
import { call, type DynamoDeps, reportConsumed } from './caller.ts';
import { Expressions } from './expression.ts';
import { toItem, toRow } from './marshal.ts';

/** One page of a partition of a table or index. */
export async function queryRows(deps: DynamoDeps, query: Query): Promise<Page> {
  try {
    const expressions = new Expressions();
    const command = new QueryCommand({
      TableName: deps.names[query.table],
      ...defined({ IndexName: query.index }),
      KeyConditionExpression: keyCondition(query, expressions),
      ...expressions.parameters(),
      Limit: rowLimit(query),
      ConsistentRead: query.consistent === true,
      ScanIndexForward: query.newestFirst !== true,
      ...startKey(query.after),
      ReturnConsumedCapacity: 'TOTAL',
    });
    return toPage(deps, 'query', await call(deps, command));
  } catch (error) {
    throw portError('query', error);
  }
}

/** One page of a segment of a whole table. */
export async function scanRows(deps: DynamoDeps, scan: Scan): Promise<Page> {
  try {
    const expressions = new Expressions();
    const filter = scan.filter === undefined ? undefined : expressions.condition(scan.filter);
    const command = new ScanCommand({
      TableName: deps.names[scan.table],
      Segment: scan.segment,
      TotalSegments: scan.segments,
      Limit: rowLimit(scan),
      ...defined({ FilterExpression: filter }),
      ...(scan.consistent === true ? { ConsistentRead: true } : {}),
      ...expressions.parameters(),
      ...startKey(scan.after),
      ReturnConsumedCapacity: 'TOTAL',
    });
    return toPage(deps, 'scan', await call(deps, command));
  } catch (error) {
    throw portError('scan', error);
  }
}

function rowLimit({ limit }: { readonly limit: number }): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw refused(`limit ${limit} is not 1 or more`);
}

function keyCondition(query: Query, expressions: Expressions): string {
  const table = TABLE_SPECS[query.table];
  const spec: KeySpec | undefined = query.index === undefined ? table : table.indexes[query.index];
  if (spec === undefined) throw refused(`table ${query.table} has no index ${query.index}`);
  // Not left to DynamoDB: some emulators let them pass.
  if ([query.partition, query.from, query.through].includes('')) throw refused('a key is never an empty string');
  if (spec.sort === undefined && (query.from ?? query.through) !== undefined) throw refused(`table ${query.table} has no sort key`);
  const partition = `${expressions.name(spec.partition)} = ${expressions.value(query.partition, spec.partition)}`;
  const range = spec.sort === undefined ? undefined : sortRange(query, spec.sort, expressions);
  return range === undefined ? partition : `${partition} AND ${range}`;
}

const refused = (why: string): StoreRefusedError => new StoreRefusedError('page', new TypeError(why));

function sortRange({ from, through }: Query, sort: string, expressions: Expressions): string | undefined {
  const value = (text: string): string => expressions.value(text, sort);
  if (from !== undefined && through !== undefined) return `${expressions.name(sort)} BETWEEN ${value(from)} AND ${value(through)}`;
  if (from !== undefined) return `${expressions.name(sort)} >= ${value(from)}`;
  if (through !== undefined) return `${expressions.name(sort)} <= ${value(through)}`;
  return undefined;
}

function startKey(after: RowKey | undefined): { readonly ExclusiveStartKey?: Record<string, AttributeValue> } {
  return after === undefined ? {} : { ExclusiveStartKey: toItem(after) };
}

interface Found {
  readonly Items?: Record<string, AttributeValue>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
  readonly ConsumedCapacity?: ConsumedCapacity | undefined;
  readonly ScannedCount?: number | undefined;
}

function toPage(deps: DynamoDeps, operation: string, found: Found): Page {
  const { Items: items = [], LastEvaluatedKey: last, ConsumedCapacity: consumed, ScannedCount: scanned } = found;
  reportConsumed(deps, { kind: 'read', operation }, consumed);
  return {
    rows: items.map(toRow),
    ...(last === undefined ? {} : { cursor: toRow(last) as RowKey }),
    readUnits: consumed?.CapacityUnits ?? 0,
    ...defined({ scanned }),
  };
}
