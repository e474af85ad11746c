import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { chunks } from '../../shared/adapters/aws/backoff.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { Item } from '../frame/bare-job-row.ts';
import { bareJob } from './bare-row.ts';
import type { BareClients, Place } from './emulated.ts';
import type { Order } from './orders.ts';

const [PUTS, PARALLEL_PUTS] = [25, 8];
const [SENDS, PARALLEL_SENDS] = [10, 16];

/** The loop that one would write: all rows in batches, unprocessed ones again, then all messages in batches. */
export async function enqueueBare(clients: BareClients, place: Place, payloads: readonly Order[]): Promise<void> {
  const now = Date.now();
  const items = payloads.map((payload) => bareJob(payload, now));
  await putItems(clients, place.names.jobs, items);
  await sendIds(clients, place.queueUrl, items);
}

/** Puts items in batches of 25, eight at a time. */
export async function putItems({ dynamo }: BareClients, table: string, items: readonly Item[]): Promise<void> {
  await mapLimited(chunks(items, PUTS), PARALLEL_PUTS, async (batch) => {
    let requests: WriteRequest[] = batch.map((Item) => ({ PutRequest: { Item } }));
    while (requests.length > 0) {
      const { UnprocessedItems } = await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
      requests = UnprocessedItems?.[table] ?? [];
    }
  });
}

/** Sends a message for each item in batches of ten, sixteen at a time; throws when one is not taken. */
export async function sendIds(
  { sqs }: BareClients,
  QueueUrl: string,
  items: readonly Item[],
  delaySeconds: (item: Item) => number = () => 0,
): Promise<void> {
  await mapLimited(chunks(items, SENDS), PARALLEL_SENDS, async (batch) => {
    const Entries = batch.map((item, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({ v: 1, id: item['id']?.S, n: 1 }),
      DelaySeconds: delaySeconds(item),
    }));
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) throw new Error(`${Failed.length} messages were not taken`);
  });
}
