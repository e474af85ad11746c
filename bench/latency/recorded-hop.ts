import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Region } from '../../local/region.ts';
import { type AwsClients, createAwsClients } from '../../shared/lambda/connect.ts';
import type { Arrivals } from './arrivals.ts';
import type { RunningHop } from './hop.ts';
import { startPlainSource } from './plain-source.ts';

const TABLE = 'recorded';
const LEASE_MS = 60_000;

/** The minimum for keeping a record: a put before the message, a conditional claim before the handler, a delete after it. */
export async function startRecordedHop(region: Region, arrivals: Arrivals): Promise<RunningHop> {
  const { dynamo, sqs } = createAwsClients(region.environment);
  await dynamo.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  const { queueUrl, source } = await startPlainSource({ region, sqs }, 'recorded', () => {
    const own = createAwsClients(region.environment);
    return async (bodies) => {
      await Promise.all(bodies.map((body) => claimAndRun(own, (JSON.parse(body) as { readonly id: string }).id, arrivals)));
    };
  });
  return {
    async send(n) {
      const id = randomUUID();
      const Item = {
        id: { S: id },
        payload: { S: JSON.stringify({ n }) },
        state: { S: 'queued' },
        createdAt: { S: new Date().toISOString() },
      };
      await dynamo.send(new PutItemCommand({ TableName: TABLE, Item }));
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ id }) }));
    },
    async stop() {
      await source.stop(5_000);
      dynamo.destroy();
      sqs.destroy();
    },
  };
}

async function claimAndRun({ dynamo }: AwsClients, id: string, arrivals: Arrivals): Promise<void> {
  const owner = randomUUID();
  const now = Date.now();
  const { Attributes: row } = await dynamo.send(
    new UpdateItemCommand({
      TableName: TABLE,
      Key: { id: { S: id } },
      UpdateExpression: 'SET #state = :running, #owner = :owner, leaseUntil = :until',
      ConditionExpression: '#state = :queued OR leaseUntil < :now',
      ExpressionAttributeNames: { '#state': 'state', '#owner': 'owner' },
      ExpressionAttributeValues: {
        ':running': { S: 'running' },
        ':queued': { S: 'queued' },
        ':owner': { S: owner },
        ':until': { N: String(now + LEASE_MS) },
        ':now': { N: String(now) },
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
  arrivals.arrive((JSON.parse(row?.['payload']?.S ?? '{}') as { readonly n: number }).n);
  await dynamo.send(
    new DeleteItemCommand({
      TableName: TABLE,
      Key: { id: { S: id } },
      ConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': { S: owner } },
    }),
  );
}
