import { randomUUID } from 'node:crypto';
import { DeleteItemCommand, DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { TIMEOUTS } from '../../shared/adapters/aws/request-handler.ts';
import type { SqsBatchResponse, SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { readyRow } from '../frame/bare-job-row.ts';
import type { Order } from './bench-job.ts';

/** How long a claim lasts. */
export const LEASE_MS = 310_000;

/** Both clients of a side. */
export interface Clients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** The SDK with our settings but none of our code: as many sockets, kept alive, the same timeouts, and no logger. */
export function plainClients(): Clients {
  const requestHandler = (): NodeHttpHandler =>
    new NodeHttpHandler({
      connectionTimeout: TIMEOUTS.connectionMs,
      socketTimeout: TIMEOUTS.socketMs,
      requestTimeout: TIMEOUTS.requestMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: 256 },
      httpsAgent: { keepAlive: true, maxSockets: 256 },
    });
  const dynamo = new DynamoDBClient({ requestHandler: requestHandler(), maxAttempts: 4, retryMode: 'standard' });
  const sqs = new SQSClient({ requestHandler: requestHandler(), maxAttempts: 3, retryMode: 'standard', useQueueUrlAsEndpoint: false });
  // Ours lack it too: it copies each request and response for a logger, and there is none.
  for (const { middlewareStack } of [dynamo, sqs]) middlewareStack.remove('loggerMiddleware');
  return { dynamo, sqs };
}

/** The SDK as most code uses it: with default settings. */
export const defaultClients = (): Clients => ({ dynamo: new DynamoDBClient({}), sqs: new SQSClient({}) });

/**
 * A hand-written handler for one job type with these tables: claim, parse, run, delete, all messages side by side, and a partial
 * batch response. It makes the executor's writes under the same conditions, and nothing else: no schema, retry policy, time
 * limit, cancel, crash count, rule of an operator, metric or log.
 */
export function handWrittenHandler(
  { dynamo, table }: { readonly dynamo: DynamoDBClient; readonly table: string },
  work: (order: Order) => unknown,
): (event: SqsEvent) => Promise<SqsBatchResponse> {
  const runOne = async (body: string): Promise<void> => {
    const { id } = JSON.parse(body) as { id: string };
    const key = { id: { S: id } };
    const owner = `run/${randomUUID()}`;
    const now = Date.now();
    const { Attributes: job } = await dynamo.send(
      new UpdateItemCommand({
        TableName: table,
        Key: key,
        UpdateExpression: 'SET lockOwner = :me, lockExpiresAt = :until ADD rev :one, starts :one',
        ConditionExpression: 'begins_with(lockOwner, :queue) AND dueAt <= :now',
        ExpressionAttributeValues: {
          ':me': { S: owner },
          ':until': { S: new Date(now + LEASE_MS).toISOString() },
          ':one': { N: '1' },
          ':queue': { S: 'queue/' },
          ':now': { S: new Date(now).toISOString() },
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
    await work(JSON.parse(job?.['payload']?.S ?? 'null') as Order);
    await dynamo.send(
      new DeleteItemCommand({
        TableName: table,
        Key: key,
        ConditionExpression: 'lockOwner = :me',
        ExpressionAttributeValues: { ':me': { S: owner } },
      }),
    );
  };
  return async (event) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    await Promise.all(
      event.Records.map(async ({ body, messageId }) => {
        try {
          await runOne(body);
        } catch (error) {
          // Another process has it, or had it.
          if ((error as Error).name !== 'ConditionalCheckFailedException') batchItemFailures.push({ itemIdentifier: messageId });
        }
      }),
    );
    return { batchItemFailures };
  };
}

/** A put of the row that ours puts, and one message. */
export async function handWrittenEnqueue(
  { dynamo, sqs, table, queueUrl }: Clients & { readonly table: string; readonly queueUrl: string },
  order: Order,
): Promise<void> {
  const row = readyRow({ type: 'bench.noop', payload: order }, Date.now());
  await dynamo.send(new PutItemCommand({ TableName: table, Item: row }));
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ v: 1, id: row['id']?.S, n: 1 }) }));
}
