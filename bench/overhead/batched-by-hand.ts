import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { SqsBatchResponse, SqsEvent } from '../../shared/adapters/sqs/event.ts';
import type { Order } from './bench-job.ts';
import { LEASE_MS } from './hand-written.ts';

/** DynamoDB takes no more statements in a request. */
const MOST = 25;

/**
 * The floor: a bare loop that claims all messages of an event in one request, runs them, and completes them in another, with the
 * executor's writes under the same conditions. A delete that meets no row succeeds, so that it deleted is seen by the old row alone.
 */
export function batchedByHand(
  { dynamo, table }: { readonly dynamo: DynamoDBClient; readonly table: string },
  work: (order: Order) => unknown,
): (event: SqsEvent) => Promise<SqsBatchResponse> {
  const claim = `UPDATE "${table}" SET lockOwner=? SET lockExpiresAt=? SET rev=rev+? SET starts=starts+? WHERE id=? AND begins_with(lockOwner,?) AND dueAt<=? RETURNING ALL NEW *`;
  const complete = `DELETE FROM "${table}" WHERE id=? AND lockOwner=? RETURNING ALL OLD *`;
  const all = async (Statements: BatchStatementRequest[]): Promise<readonly (Record<string, AttributeValue> | undefined)[]> => {
    const { Responses = [] } = await dynamo.send(new BatchExecuteStatementCommand({ Statements }));
    return Responses.map(({ Item }) => Item);
  };
  return async ({ Records: records }) => {
    if (records.length > MOST) throw new Error(`${records.length} messages in an event; the loop takes ${MOST}`);
    const owner = `run/${randomUUID()}`;
    const now = Date.now();
    const [until, nowText] = [new Date(now + LEASE_MS).toISOString(), new Date(now).toISOString()];
    const ids = records.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    const jobs = await all(
      ids.map((id) => ({
        Statement: claim,
        Parameters: [{ S: owner }, { S: until }, { N: '1' }, { N: '1' }, { S: id }, { S: 'queue/' }, { S: nowText }],
      })),
    );
    await Promise.all(jobs.map(async (job) => work(JSON.parse(job?.['payload']?.S ?? 'null') as Order)));
    const deleted = await all(ids.map((id) => ({ Statement: complete, Parameters: [{ S: id }, { S: owner }] })));
    const back = records.filter((_, at) => deleted[at] === undefined);
    return { batchItemFailures: back.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}
