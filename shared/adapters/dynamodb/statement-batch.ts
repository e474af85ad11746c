import { BatchExecuteStatementCommand, type BatchStatementResponse } from '@aws-sdk/client-dynamodb';
import type { Row } from '../../ports/tables.ts';
import type { BatchSupport } from './batch-support.ts';
import { askConsumed, call, type DynamoDeps, reportConsumed } from './caller.ts';
import { toRow } from './marshal.ts';
import type { Statement, StatedWrite } from './statement.ts';
import { type Member, type QueuedWrite, sendShared } from './shared-request.ts';

/** A conditional write that waits for its request. */
export interface QueuedStatement extends QueuedWrite {
  readonly write: StatedWrite;
  readonly statement: Statement;
}

/** What a member's code means; see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html */
const ENDS: Readonly<Record<string, 'unmet' | 'again' | 'refused'>> = {
  ConditionalCheckFailed: 'unmet',
  TransactionConflict: 'again',
  ProvisionedThroughputExceeded: 'again',
  ThrottlingError: 'again',
  RequestLimitExceeded: 'again',
  InternalServerError: 'again',
};
/** The one code that leaves open whether the statement was applied. */
const UNKNOWN = 'InternalServerError';

/**
 * Makes conditional writes to different rows in one request. It is not atomic: each has its own end, in order. The attempts of a write that
 * goes on by itself are noted in its effort. Never rejects.
 */
export async function writeTogether(
  deps: DynamoDeps,
  support: BatchSupport,
  queued: readonly QueuedStatement[],
): Promise<readonly Member[]> {
  const answered = await sendShared(queued, { kind: 'statements', support }, async (effort) => {
    const command = new BatchExecuteStatementCommand({
      Statements: queued.map(({ statement }) => ({
        Statement: statement.text,
        Parameters: [...statement.parameters],
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })),
      ...askConsumed(deps),
    });
    const { Responses: responses = [], ConsumedCapacity: consumed } = await call(deps, command, effort);
    reportConsumed(deps, { kind: 'write', operation: 'statements' }, consumed);
    return responses;
  });
  if ('members' in answered) return answered.members;
  return queued.map((one, at) => memberOf(one, answered.reply[at], support));
}

function memberOf(
  { write, statement, effort }: QueuedStatement,
  response: BatchStatementResponse | undefined,
  support: BatchSupport,
): Member {
  if (response === undefined) return { end: 'again', message: 'the reply does not mention it' };
  const { Item: item, Error: error } = response;
  const isNone = (of: typeof item): of is undefined => of === undefined || Object.keys(of).length === 0;
  const shown = (of: typeof item): { readonly row?: Row } => (isNone(of) ? {} : { row: toRow(of) });
  if (error === undefined) {
    support.understands(statement.text);
    // A delete that finds no row succeeds, and only an old row shows that there was one.
    if (write.op === 'delete' && (isNone(item) || write.quiet === true)) return { end: isNone(item) ? 'gone' : 'applied' };
    return { end: 'applied', ...shown(item) };
  }
  const { Code: code = '', Message: message = code } = error;
  const end = Object.hasOwn(ENDS, code) ? (ENDS[code] ?? 'refused') : 'refused';
  if (end === 'unmet') {
    support.understands(statement.text);
    return { end, ...shown(error.Item) };
  }
  if (code !== UNKNOWN) effort.attempts.takeBack();
  if (code !== 'AccessDenied') return { end, message };
  support.turnOff('statements', message);
  return { end: 'alone' };
}
