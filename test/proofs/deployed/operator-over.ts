import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, GetQueueAttributesCommand, paginateListQueues, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { OrderReply, OrderRequest } from '../../../examples/order-service/order-function.ts';
import { openOrders, type Orders } from '../../../examples/order-service/orders.ts';
import { type Activation, type Admin, createAdmin } from '../../../operate/index.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../../shared/config/environment.ts';
import { createJobClient } from '../../../shared/index.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { heartbeatKey } from '../../../shared/store/control-rows.ts';

type Jobs = ReturnType<typeof createJobClient>;

/** An operator of the deployed example with credentials of the account, without access to its internals. */
export interface Operator {
  /** Invokes the order function. Throws when it failed. */
  order(request: OrderRequest): Promise<OrderReply>;
  readonly jobs: Jobs;
  /** As above, with a delay horizon of a second: everything it delays is put in Timers, so that only a tick can fire it. */
  readonly patientJobs: Jobs;
  readonly admin: Admin;
  readonly activation: Activation;
  readonly orders: Orders;
  /** Of the order function. */
  readonly environment: Readonly<Record<string, string>>;
  /** The shop's correction of an order with a wrong amount. */
  correctAmount(orderId: string, amountCents: number): Promise<void>;
  /** When acquirer or sweeper last came to its end, as the Control table shows it. */
  lastHeartbeat(who: string): Promise<string | undefined>;
  /** Messages of each queue of the stack: visible, in flight and delayed together. */
  messages(): Promise<Readonly<Record<string, number>>>;
  /** Deletes messages of the queue of failed ticks that were sent before an instant. Returns how many. */
  deleteFailedTicks(before: number): Promise<number>;
}

/** Dependencies of an operator. */
export interface OperatorDeps extends Pick<Operator, 'order' | 'activation'> {
  readonly stack: string;
  /** The order function's: its tables and queues are the deployment's. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An operator over a deployment, with the credentials and endpoints of this process. */
export function operatorOver({ stack, environment, ...given }: OperatorDeps): Operator {
  const client = (variables: Readonly<Record<string, string>>): Jobs => createJobClient({ environment: variables, journal: silentJournal });
  return {
    ...given,
    environment,
    jobs: client(environment),
    patientJobs: client({ ...environment, [ENVIRONMENT.settings]: withShortHorizon(environment[ENVIRONMENT.settings]) }),
    admin: createAdmin({ environment }),
    orders: openOrders(environment),
    correctAmount: (orderId, amountCents) => correctAmount(environment['ORDERS_TABLE'], orderId, amountCents),
    lastHeartbeat: (who) => lastHeartbeat(decodeEnvironment(environment).tables.control, who),
    messages: () => messagesOf(stack),
    deleteFailedTicks: (before) => deleteFailedTicks(new SQSClient({ useQueueUrlAsEndpoint: false }), stack, before),
  };
}

function withShortHorizon(settings: string | undefined): string {
  return JSON.stringify({ ...(JSON.parse(settings ?? '{}') as Record<string, number>), delayHorizonMs: 1_000 });
}

async function correctAmount(TableName: string | undefined, orderId: string, amountCents: number): Promise<void> {
  await new DynamoDBClient({}).send(
    new UpdateItemCommand({
      TableName,
      Key: { orderId: { S: orderId } },
      UpdateExpression: 'SET amountCents = :cents',
      ExpressionAttributeValues: { ':cents': { N: String(amountCents) } },
    }),
  );
}

async function lastHeartbeat(TableName: string, who: string): Promise<string | undefined> {
  const Key = Object.fromEntries(Object.entries(heartbeatKey(who)).map(([name, value]) => [name, { S: value }]));
  const { Item } = await new DynamoDBClient({}).send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item?.['at']?.S;
}

const MESSAGES = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible', 'ApproximateNumberOfMessagesDelayed'] as const;

/** Messages that are not deleted are visible again when this time is over. */
const SEEN_FOR_S = 5;

/** Deletes messages of the stack's queue of failed ticks that were sent before an instant. Returns how many. */
export async function deleteFailedTicks(client: SQSClient, stack: string, before: number): Promise<number> {
  let deleted = 0;
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, { QueueNamePrefix: stack })) {
    for (const url of QueueUrls) if (url.includes('FailedTicks')) deleted += await deleteSentBefore(client, url, before);
  }
  return deleted;
}

async function deleteSentBefore(client: SQSClient, QueueUrl: string, before: number): Promise<number> {
  const received = { MaxNumberOfMessages: 10, WaitTimeSeconds: 2, VisibilityTimeout: SEEN_FOR_S } as const;
  for (let deleted = 0; ;) {
    const command = new ReceiveMessageCommand({ QueueUrl, ...received, MessageSystemAttributeNames: ['SentTimestamp'] });
    const { Messages = [] } = await client.send(command);
    const early = Messages.filter(({ Attributes }) => Number(Attributes?.SentTimestamp) < before);
    if (early.length === 0) return deleted;
    for (const { ReceiptHandle } of early) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    deleted += early.length;
  }
}

async function messagesOf(stack: string): Promise<Readonly<Record<string, number>>> {
  // An emulator's queue URLs may name a host that does not resolve.
  const client = new SQSClient({ useQueueUrlAsEndpoint: false });
  const counts: Record<string, number> = {};
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, { QueueNamePrefix: stack })) {
    for (const QueueUrl of QueueUrls) {
      const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...MESSAGES] }));
      const waiting = MESSAGES.map((name) => Number(Attributes[name] ?? 0));
      counts[QueueUrl.split('/').at(-1) ?? ''] = waiting.reduce((sum, count) => sum + count, 0);
    }
  }
  if (Object.keys(counts).length === 0) throw new Error(`no queue of ${stack} is listed`);
  return counts;
}
