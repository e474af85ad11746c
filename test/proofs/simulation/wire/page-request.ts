import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Query, RowKey, Scan } from '../../../../shared/ports/tables.ts';
import { keyOfItem } from './attributes.ts';
import { ExpressionReader } from './expressions.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { type Body, expectFields, tableOf } from './request-body.ts';

const PAGE_FIELDS = [
  'TableName',
  'Limit',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'ReturnConsumedCapacity',
];
const QUERY_FIELDS = [...PAGE_FIELDS, 'IndexName', 'KeyConditionExpression', 'ConsistentRead', 'ScanIndexForward'];
const SCAN_FIELDS = [...PAGE_FIELDS, 'Segment', 'TotalSegments', 'FilterExpression', 'ConsistentRead'];

/** Reads the body of a Query. */
export function queryOf(body: Body): Query {
  expectFields(body, QUERY_FIELDS);
  const table = tableOf(body);
  const { IndexName: index, KeyConditionExpression: text } = body as {
    readonly IndexName?: string;
    readonly KeyConditionExpression: string;
  };
  const spec = index === undefined ? TABLE_SPECS[table] : TABLE_SPECS[table].indexes[index];
  const reader = new ExpressionReader(body);
  const { partition, sort } = reader.keyCondition(text);
  reader.end();
  if (partition[0] !== spec?.partition || (sort !== undefined && sort.name !== spec.sort))
    throw new InvalidRequestError(`${text}: no such key`);
  const { name: _name, ...range } = sort ?? { name: '' };
  return {
    table,
    ...(index === undefined ? {} : { index }),
    partition: partition[1],
    ...range,
    ...pageOf(body),
    consistent: body['ConsistentRead'] === true,
    newestFirst: body['ScanIndexForward'] === false,
  };
}

/** Reads the body of a Scan. */
export function scanOf(body: Body): Scan {
  expectFields(body, SCAN_FIELDS);
  const reader = new ExpressionReader(body);
  const { FilterExpression: text } = body as { readonly FilterExpression?: string };
  const filter = text === undefined ? {} : { filter: reader.condition(text) };
  reader.end();
  const consistent = body['ConsistentRead'] === true;
  return {
    table: tableOf(body),
    segment: Number(body['Segment']),
    segments: Number(body['TotalSegments']),
    consistent,
    ...filter,
    ...pageOf(body),
  };
}

function pageOf({ Limit: limit, ExclusiveStartKey: after }: Body): { readonly limit: number; readonly after?: RowKey } {
  return { limit: Number(limit), ...(after === undefined ? {} : { after: keyOfItem(after) }) };
}
