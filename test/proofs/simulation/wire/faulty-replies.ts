import { toItem } from '../../../../shared/adapters/dynamodb/marshal.ts';
import type { Row, TableName, Tables } from '../../../../shared/ports/tables.ts';
import type { DynamoRequest } from './dynamo-request.ts';
import { answerDynamo, cancelled, type Reason, serviceError } from './dynamo-service.ts';
import type { WireReply } from './wire-client.ts';
import type { WireFaults } from './wire-faults.ts';

type Transaction = DynamoRequest & { readonly op: 'transact' };

/** DynamoDB turns a request away because there are too many; of a transaction it may say so for one of its items. */
export function throttled(request: DynamoRequest, faults: WireFaults): WireReply {
  if (request.op === 'transact' && faults.between(0, 1) === 1) return cancelledAt(request, 'ThrottlingError', faults);
  if (request.op === 'statements' && faults.between(0, 1) === 1) return turnedAway(request, 'ThrottlingError');
  const names = ['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'] as const;
  return serviceError(names[faults.between(0, request.op === 'transact' ? 0 : 2)] ?? names[0]);
}

/** Another transaction is at one of the rows. */
export function conflicting(request: DynamoRequest, faults: WireFaults): WireReply {
  if (request.op === 'transact') return cancelledAt(request, 'TransactionConflict', faults);
  if (request.op === 'statements') return turnedAway(request, 'TransactionConflict');
  return request.op === 'putAll' ? unprocessed(request.table, request.rows) : serviceError('TransactionConflictException');
}

/** The store takes no batches: no permission, or an operation that it does not know or have. */
export function refusedBatch(faults: WireFaults): WireReply {
  const names = ['AccessDeniedException', 'UnknownOperationException', 'NotImplemented'] as const;
  const name = names[faults.between(0, 2)] ?? names[0];
  return serviceError(name, {}, name === 'NotImplemented' ? 501 : 400);
}

function cancelledAt({ actions }: Transaction, code: string, faults: WireFaults): WireReply {
  const hit = faults.between(0, actions.length - 1);
  return cancelled(actions.map((_, at) => ({ Code: at === hit ? code : 'None' })));
}

function turnedAway({ statements }: DynamoRequest & { readonly op: 'statements' }, code: string): WireReply {
  return { status: 200, body: { Responses: statements.map(() => ({ Error: { Code: code } })) } };
}

/** The store's own answer, or one that took a part of it only. */
export async function answerWithFaults(store: Tables, request: DynamoRequest, faults: WireFaults): Promise<WireReply> {
  if (request.op === 'putAll' && request.rows.length > 1 && faults.strikes('wire-half-batch')) {
    const rows = request.rows.map((row) => ({ row, taken: faults.between(0, 1) === 1 }));
    const some = (taken: boolean) => rows.flatMap((one) => (one.taken === taken ? [one.row] : []));
    if (some(true).length > 0) await store.putAll(request.table, some(true));
    return unprocessed(request.table, some(false));
  }
  const reply = await answerDynamo(store, request);
  const reasons = reply.body['CancellationReasons'] as readonly Reason[] | undefined;
  const others = reasons?.flatMap(({ Code: code }, at) => (code === 'None' ? [at] : [])) ?? [];
  if (reasons === undefined || others.length === 0 || !faults.strikes('wire-mixed-reasons')) return reply;
  const hit = others[faults.between(0, others.length - 1)];
  const code = faults.between(0, 1) === 1 ? 'TransactionConflict' : 'ThrottlingError';
  return cancelled(reasons.map((reason, at) => (at === hit ? { Code: code } : reason)));
}

/** A reply that gives rows back. */
export function unprocessed(table: TableName, rows: readonly Row[]): WireReply {
  const left = rows.map((row) => ({ PutRequest: { Item: toItem(row) } }));
  return { status: 200, body: { UnprocessedItems: left.length === 0 ? {} : { [table]: left } } };
}
