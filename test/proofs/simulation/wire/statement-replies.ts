import { isDeepStrictEqual } from 'node:util';
import type { SingleWrite } from '../../../../shared/ports/tables.ts';
import { rowOf } from './attributes.ts';
import type { WireReply } from './wire-client.ts';
import type { StatementAnswer } from './dynamo-service.ts';
import type { WireFaults } from './wire-faults.ts';

/** What DynamoDB says of a statement that it does not do now. */
const TURNED_AWAY = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'ValidationError'] as const;

/** Does one statement of a batch, or turns it away, or does not say whether it did it, or does not show the row that it met. */
export async function answerStatement(faults: WireFaults, perform: () => Promise<StatementAnswer>): Promise<StatementAnswer> {
  if (faults.strikes('wire-statement-turned-away')) return { Error: { Code: TURNED_AWAY[faults.between(0, 3)] ?? TURNED_AWAY[0] } };
  if (faults.strikes('wire-statement-failed')) {
    if (faults.between(0, 1) === 1) await perform();
    return { Error: { Code: 'InternalServerError' } };
  }
  const answer = await perform();
  if (answer.Error?.Item === undefined || !faults.strikes('wire-statement-unexplained')) return answer;
  return { ...answer, Error: { Code: answer.Error.Code } };
}

/** The reply to a batch as far as it concerns one of its statements: nothing if it does not say what became of it. */
export function replyTo(at: number, reply: WireReply): WireReply | undefined {
  if (reply.status !== 200) return reply;
  const answer = (reply.body['Responses'] as readonly StatementAnswer[])[at];
  if (answer?.Error === undefined) return answer && { status: 200, body: {} };
  return { status: answer.Error.Code === 'InternalServerError' ? 500 : 400, body: { __type: answer.Error.Code } };
}

/** The reply to a batch of puts as far as it concerns one of them: whether it was given back. */
export function replyToPut(write: SingleWrite, reply: WireReply): WireReply {
  if (reply.status !== 200 || write.op !== 'put') return reply;
  const left = Object.values(
    (reply.body['UnprocessedItems'] ?? {}) as Record<string, { readonly PutRequest: { readonly Item: unknown } }[]>,
  );
  const isLeft = left.flat().some(({ PutRequest }) => isDeepStrictEqual(rowOf(PutRequest.Item), write.row));
  return isLeft ? { status: 400, body: { __type: 'unprocessed' } } : { status: 200, body: {} };
}
