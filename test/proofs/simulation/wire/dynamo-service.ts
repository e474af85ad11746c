import { StoreRefusedError } from '../../../../shared/job/errors.ts';
import { conditionHolds } from '../../../../shared/adapters/memory/condition.ts';
import { toItem } from '../../../../shared/adapters/dynamodb/marshal.ts';
import type { CancelReason, Page, Row, SingleWrite, Tables, Write } from '../../../../shared/ports/tables.ts';
import { type DynamoRequest, readDynamoRequest } from './dynamo-request.ts';
import { InvalidRequestError } from './invalid-request.ts';
import type { Body } from './request-body.ts';
import type { WireReply } from './wire-client.ts';
import type { ShownWrite } from './write-request.ts';

/** An error of DynamoDB by its name; 400 unless it is one of the service itself. */
export const serviceError = (name: string, more: Body = {}, status = 400): WireReply => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...more },
});

const answer = (body: Body = {}): WireReply => ({ status: 200, body });
const shownRow = (name: string, row: Row | undefined): Body => (row === undefined ? {} : { [name]: toItem(row) });

/** DynamoDB for as much of it as the adapter uses: what it is asked is done to `store`, and answered as it goes over the wire. */
export async function askDynamo(store: Tables, operation: string, body: Body): Promise<WireReply> {
  try {
    return await answerDynamo(store, readDynamoRequest(operation, body));
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return serviceError(error.name, { message: error.message });
  }
}

/** The same for a request that was read. */
export async function answerDynamo(store: Tables, request: DynamoRequest): Promise<WireReply> {
  return perform(store, request).catch(refusal);
}

/** What DynamoDB says to a request that can never be right; anything else is a bug of the store. */
function refusal(error: unknown): WireReply {
  if (!(error instanceof StoreRefusedError)) throw error;
  const { message } = error.cause as Error;
  return serviceError(message.startsWith('the token was used') ? 'IdempotentParameterMismatchException' : 'ValidationException', {
    message,
  });
}

async function perform(store: Tables, request: DynamoRequest): Promise<WireReply> {
  switch (request.op) {
    case 'get':
      return answer(shownRow('Item', await store.get(request.table, request.key)));
    case 'write': {
      const outcome = await store.write(request.write);
      if (outcome.applied) return answer(request.shows === 'NONE' ? {} : shownRow('Attributes', outcome.row));
      return serviceError('ConditionalCheckFailedException', request.showsFailure ? shownRow('Item', outcome.row) : {});
    }
    case 'transact': {
      const outcome = await store.transact(
        request.actions.map(({ write }) => write),
        request.token,
      );
      return outcome.applied ? answer() : cancelled(outcome.reasons.map((reason, at) => reasonOf(reason, request.actions[at])));
    }
    case 'statements':
      return answer({ Responses: await Promise.all(request.statements.map((stated) => performStatement(store, stated))) });
    case 'putAll':
      await store.putAll(request.table, request.rows);
      return answer({ UnprocessedItems: {} });
    case 'query':
      return answer(pageOf(request.query.table, await store.query(request.query)));
    case 'scan':
      return answer(pageOf(request.scan.table, await store.scan(request.scan)));
  }
}

/** What one statement of a batch is answered. */
export type StatementAnswer = {
  readonly TableName?: string;
  readonly Item?: object;
  readonly Error?: { readonly Code: string; readonly Message?: string; readonly Item?: object };
};

/** Does what one statement asks for: UPDATE makes no row, and DELETE succeeds where there is none, whatever its condition says. */
export async function performStatement(store: Tables, { write, showsFailure, shows }: ShownWrite<SingleWrite>): Promise<StatementAnswer> {
  try {
    if (write.op === 'update' && (await addsToNothing(store, write)))
      return { Error: { Code: 'ValidationError', Message: ADDS_TO_NOTHING } };
    const outcome = await store.write(write);
    const TableName = write.table;
    if (outcome.applied) return { TableName, ...(shows === 'NONE' ? {} : shownRow('Item', outcome.row)) };
    if (write.op === 'delete' && outcome.row === undefined) return { TableName };
    return { TableName, Error: { Code: 'ConditionalCheckFailed', ...(showsFailure ? shownRow('Item', outcome.row) : {}) } };
  } catch (error) {
    if (error instanceof StoreRefusedError) return { Error: { Code: 'ValidationError' } };
    throw error;
  }
}

const ADDS_TO_NOTHING = 'The provided expression refers to an attribute that does not exist in the item';

/** `SET n = n + 1` demands an n, in a row that the condition lets pass. */
async function addsToNothing(
  store: Tables,
  { table, key, condition, add = {} }: SingleWrite & { readonly op: 'update' },
): Promise<boolean> {
  const row = await store.get(table, key);
  return row !== undefined && conditionHolds(condition, row) && Object.keys(add).some((name) => typeof row[name] !== 'number');
}

/** Why one action of a transaction was not applied. */
export interface Reason {
  readonly Code: string;
  readonly Item?: object;
}

export const cancelled = (reasons: readonly Reason[]): WireReply =>
  serviceError('TransactionCanceledException', { CancellationReasons: reasons });

function reasonOf(reason: CancelReason, action: ShownWrite<Write> | undefined): Reason {
  if (reason.code === 'none') return { Code: 'None' };
  // The store says so of a write that its row cannot take.
  if (reason.code === 'conflict') return { Code: 'ValidationError' };
  return { Code: 'ConditionalCheckFailed', ...(action?.showsFailure === true ? shownRow('Item', reason.row) : {}) };
}

function pageOf(table: string, { rows, cursor, readUnits, scanned }: Page): Body {
  return {
    Items: rows.map(toItem),
    Count: rows.length,
    ScannedCount: scanned ?? rows.length,
    ConsumedCapacity: { TableName: table, CapacityUnits: readUnits },
    ...shownRow('LastEvaluatedKey', cursor),
  };
}
