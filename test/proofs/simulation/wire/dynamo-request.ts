import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Query, Row, RowKey, Scan, SingleWrite, TableName, Write } from '../../../../shared/ports/tables.ts';
import { keyOfItem, rowOf } from './attributes.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { queryOf, scanOf } from './page-request.ts';
import { statementsOf } from './statements.ts';
import { type Body, expectFields, tableOf } from './request-body.ts';
import { actionOf, keyedOf, putOf, type ShownWrite, updateOf } from './write-request.ts';

/** What one request asks for, in the words of the port. */
export type DynamoRequest =
  | { readonly op: 'get'; readonly table: TableName; readonly key: RowKey }
  | ({ readonly op: 'write' } & ShownWrite<SingleWrite>)
  | { readonly op: 'transact'; readonly actions: readonly ShownWrite<Write>[]; readonly token: string }
  | { readonly op: 'statements'; readonly statements: readonly ShownWrite<SingleWrite>[] }
  | { readonly op: 'putAll'; readonly table: TableName; readonly rows: readonly Row[] }
  | { readonly op: 'query'; readonly query: Query }
  | { readonly op: 'scan'; readonly scan: Scan };

const MAX_BATCH = 25;
const MAX_ACTIONS = 100;

const READERS: Readonly<Record<string, (body: Body) => DynamoRequest>> = {
  GetItem(body) {
    expectFields(body, ['TableName', 'Key', 'ConsistentRead']);
    if (body['ConsistentRead'] !== true) throw new InvalidRequestError('single rows are read consistently only');
    return { op: 'get', table: tableOf(body), key: keyOfItem(body['Key']) };
  },
  PutItem: (body) => ({ op: 'write', ...putOf(body) }),
  UpdateItem: (body) => ({ op: 'write', ...updateOf(body, ['ReturnValues']) }),
  DeleteItem(body) {
    const { write, ...shown } = keyedOf('delete', body, ['ReturnValues']);
    return { op: 'write', ...shown, write: { ...write, op: 'delete', ...(shown.shows === 'NONE' ? { quiet: true } : {}) } };
  },
  TransactWriteItems(body) {
    expectFields(body, ['TransactItems', 'ClientRequestToken']);
    const { TransactItems: items, ClientRequestToken: token } = body;
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ACTIONS) throw new InvalidRequestError('1 to 100 items');
    if (typeof token !== 'string' || token.length === 0 || token.length > 36)
      throw new InvalidRequestError('a token has 1 to 36 characters');
    return { op: 'transact', token, actions: items.map((item) => actionOf(item as Body)) };
  },
  BatchExecuteStatement: (body) => ({ op: 'statements', statements: statementsOf(body) }),
  BatchWriteItem(body) {
    expectFields(body, ['RequestItems']);
    const [[name, requests] = [], ...more] = Object.entries(body['RequestItems'] as Body);
    if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_BATCH || more.length > 0) {
      throw new InvalidRequestError(`1 to ${MAX_BATCH} requests to one table`);
    }
    const table = tableOf({ TableName: name });
    const rows = requests.map(({ PutRequest: put, ...others }: { PutRequest?: { Item?: unknown } }) => {
      expectFields(others, []);
      return rowOf(put?.Item);
    });
    const { partition, sort } = TABLE_SPECS[table];
    const keys = new Set(rows.map((row) => JSON.stringify([row[partition], sort === undefined ? '' : row[sort]])));
    if (keys.size < rows.length) throw new InvalidRequestError('a batch names a row twice');
    return { op: 'putAll', table, rows };
  },
  Query: (body) => ({ op: 'query', query: queryOf(body) }),
  Scan: (body) => ({ op: 'scan', scan: scanOf(body) }),
};

/** Reads the body of an operation. Throws InvalidRequestError for everything that the adapter does not send. */
export function readDynamoRequest(operation: string, body: Body): DynamoRequest {
  const read = Object.hasOwn(READERS, operation) ? READERS[operation] : undefined;
  if (read === undefined) throw new InvalidRequestError(`${operation} is not known`);
  return read(body);
}

/** The writes of a request, in order. */
export function writesOf(asked: DynamoRequest): readonly Write[] {
  switch (asked.op) {
    case 'write':
      return [asked.write];
    case 'statements':
      return asked.statements.map(({ write }) => write);
    case 'transact':
      return asked.actions.map(({ write }) => write);
    case 'putAll':
      return asked.rows.map((row) => ({ op: 'put', table: asked.table, row }));
    default:
      return [];
  }
}
