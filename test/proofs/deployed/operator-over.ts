import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import type { OrderReply, OrderRequest } from '../../../examples/order-service/order-function.ts';
import { openOrders, type Orders } from '../../../examples/order-service/orders.ts';
import { type Activation, type Admin, createAdmin } from '../../../shared/admin/index.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../../shared/config/environment.ts';
import { createJobClient } from '../../../shared/index.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { heartbeatKey } from '../../../shared/store/control-rows.ts';

type Jobs = ReturnType<typeof createJobClient>;

/** What somebody with credentials of the account can do with the deployed example: nothing here reaches into it. */
export interface Operator {
  /** Invokes the order function. Throws when it failed. */
  order(request: OrderRequest): Promise<OrderReply>;
  readonly jobs: Jobs;
  /** The same with a delay horizon of a second: whatever it puts off lies in Timers, so that only a tick can fire it. */
  readonly patientJobs: Jobs;
  readonly admin: Admin;
  readonly activation: Activation;
  readonly orders: Orders;
  /** What a shop does about an order whose amount is wrong. */
  correctAmount(orderId: string, amountCents: number): Promise<void>;
  /** When acquirer or sweeper last came to its end, as the Control table shows it. */
  lastHeartbeat(who: string): Promise<string | undefined>;
  /** Messages of each queue of the stack: visible, in flight and delayed together. */
  messages(): Promise<Readonly<Record<string, number>>>;
}

/** What an operator over a deployment needs. */
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
    jobs: client(environment),
    patientJobs: client({ ...environment, [ENVIRONMENT.settings]: withShortHorizon(environment[ENVIRONMENT.settings]) }),
    admin: createAdmin({ environment }),
    orders: openOrders(environment),
    correctAmount: (orderId, amountCents) => correctAmount(environment['ORDERS_TABLE'], orderId, amountCents),
    lastHeartbeat: (who) => lastHeartbeat(decodeEnvironment(environment).tables.control, who),
    messages: () => messagesOf(stack),
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

async function messagesOf(stack: string): Promise<Readonly<Record<string, number>>> {
  // An emulator's queue URLs may name a host that nobody resolves.
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
