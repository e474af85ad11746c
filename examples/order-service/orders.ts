import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  paginateScan,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Environment, shopEnvironment } from './shop-environment.ts';

/** A row of the Orders table. */
export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly amountCents: number;
  readonly status: 'placed' | 'paid';
  readonly placedAt: string;
  readonly paidAt?: string;
  readonly remindedAt?: string;
  /** The timer that reminds of the payment, so that paying can cancel it. */
  readonly reminderId: string;
}

/** The Orders table. */
export interface Orders {
  get(orderId: string): Promise<Order | undefined>;
  /** Pages of all orders. */
  pages(): AsyncIterable<readonly Order[]>;
  /** Puts a new order together with other writes; false when there is one with its id already. */
  place(order: Order, together: readonly TransactWriteItem[]): Promise<boolean>;
  /** Marks an order paid together with other writes; false when it is not there or paid already. */
  pay(orderId: string, paidAt: string, together: readonly TransactWriteItem[]): Promise<boolean>;
  /** Notes a reminder; false when the order was paid in the meantime. */
  noteReminder(orderId: string, remindedAt: string): Promise<boolean>;
}

/** Opens the Orders table that the environment names. */
export function openOrders(env: Environment): Orders {
  const endpoint = env['AWS_ENDPOINT_URL_DYNAMODB'];
  const dynamo = new DynamoDBClient(endpoint === undefined ? {} : { endpoint });
  const TableName = shopEnvironment(env).ordersTable;
  const keyOf = (orderId: string): Record<string, AttributeValue> => ({ orderId: { S: orderId } });

  const transact = async (own: TransactWriteItem, together: readonly TransactWriteItem[]): Promise<boolean> => {
    try {
      await dynamo.send(new TransactWriteItemsCommand({ TransactItems: [own, ...together] }));
      return true;
    } catch (error) {
      if (lostTo(error, 0)) return false;
      throw error;
    }
  };

  return {
    async get(orderId) {
      const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key: keyOf(orderId), ConsistentRead: true }));
      return Item && readOrder(Item);
    },
    async *pages() {
      for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true })) yield Items.map(readOrder);
    },
    place: (order, together) =>
      transact({ Put: { TableName, Item: writeOrder(order), ConditionExpression: 'attribute_not_exists(orderId)' } }, together),
    pay: (orderId, paidAt, together) =>
      transact(
        {
          Update: {
            TableName,
            Key: keyOf(orderId),
            UpdateExpression: 'SET #status = :paid, paidAt = :at',
            ConditionExpression: '#status = :placed',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':paid': { S: 'paid' }, ':placed': { S: 'placed' }, ':at': { S: paidAt } },
          },
        },
        together,
      ),
    async noteReminder(orderId, remindedAt) {
      try {
        await dynamo.send(
          new UpdateItemCommand({
            TableName,
            Key: keyOf(orderId),
            UpdateExpression: 'SET remindedAt = :at',
            ConditionExpression: '#status = :placed',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':placed': { S: 'placed' }, ':at': { S: remindedAt } },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
        throw error;
      }
    },
  };
}

/** Whether a transaction was cancelled because the condition of its write number `index` failed. */
function lostTo(error: unknown, index: number): boolean {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException' || !('CancellationReasons' in error)) return false;
  return (error.CancellationReasons as readonly { readonly Code?: string }[] | undefined)?.[index]?.Code === 'ConditionalCheckFailed';
}

function writeOrder(order: Order): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(order).map(([name, value]) => [name, typeof value === 'number' ? { N: String(value) } : { S: String(value) }]),
  );
}

function readOrder(item: Record<string, AttributeValue>): Order {
  const text = (name: string): string => item[name]?.S ?? '';
  const maybe = (name: 'paidAt' | 'remindedAt'): Partial<Order> => (item[name]?.S === undefined ? {} : { [name]: item[name].S });
  return {
    orderId: text('orderId'),
    customer: text('customer'),
    amountCents: Number(item['amountCents']?.N),
    status: text('status') === 'paid' ? 'paid' : 'placed',
    placedAt: text('placedAt'),
    reminderId: text('reminderId'),
    ...maybe('paidAt'),
    ...maybe('remindedAt'),
  };
}
