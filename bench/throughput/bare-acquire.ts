import { type AttributeValue, QueryCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { chunks } from '../../shared/adapters/aws/backoff.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { Item } from '../frame/bare-job-row.ts';
import { sendIds } from './bare-enqueue.ts';
import type { BareClients, Place } from './emulated.ts';

/** The acquirer's settings, so that both sides have the same concurrency. */
export interface AcquireTerms {
  readonly shards: readonly string[];
  readonly parallelShards: number;
  readonly parallelTransactions: number;
  readonly pageSize: number;
  readonly horizonMs: number;
}

const TIMERS_IN_TRANSACTION = 50;
const REDISPATCH_MS = 120_000;

/** The loop that one would write: each shard's due timers page by page, fifty moves a transaction, then their messages. Gives back how many it moved. */
export async function acquireBare(clients: BareClients, place: Place, terms: AcquireTerms): Promise<number> {
  let moved = 0;
  await mapLimited(terms.shards, terms.parallelShards, async (shard) => {
    let after: Record<string, AttributeValue> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await duePage(clients, place, { shard, after, terms });
      await mapLimited(chunks(Items, TIMERS_IN_TRANSACTION), terms.parallelTransactions, async (timers) => {
        const now = Date.now();
        const jobs = timers.map((timer) => readyJob(timer, now));
        await clients.dynamo.send(
          new TransactWriteItemsCommand({ TransactItems: timers.flatMap((timer, n) => move(place, timer, jobs[n])) }),
        );
        await sendIds(clients, place.queueUrl, jobs, (job) => Math.max(0, Math.ceil((Date.parse(job['dueAt']?.S ?? '') - now) / 1_000)));
        moved += jobs.length;
      });
      after = LastEvaluatedKey;
    } while (after !== undefined);
  });
  return moved;
}

function duePage(
  { dynamo }: BareClients,
  { names }: Place,
  { shard, after, terms }: { readonly shard: string; readonly after: Item | undefined; readonly terms: AcquireTerms },
) {
  return dynamo.send(
    new QueryCommand({
      TableName: names.timers,
      KeyConditionExpression: '#shard = :shard AND due <= :through',
      ExpressionAttributeNames: { '#shard': 'shard' },
      ExpressionAttributeValues: { ':shard': { S: shard }, ':through': { S: `${new Date(Date.now() + terms.horizonMs).toISOString()}#~` } },
      Limit: terms.pageSize,
      ConsistentRead: true,
      ...(after === undefined ? {} : { ExclusiveStartKey: after }),
    }),
  );
}

function readyJob({ shard: _shard, due: _due, ...timer }: Item, now: number): Item {
  const until = Math.max(now, Date.parse(timer['dueAt']?.S ?? '')) + REDISPATCH_MS;
  return {
    ...timer,
    rev: { N: String(Number(timer['rev']?.N) + 1) },
    dispatches: { N: '1' },
    lockOwner: { S: `queue/${String(timer['id']?.S)}` },
    lockExpiresAt: { S: new Date(until).toISOString() },
  };
}

function move({ names }: Place, { shard, due, rev }: Item, job: Item | undefined): TransactWriteItem[] {
  if (shard === undefined || due === undefined || rev === undefined || job === undefined) throw new Error('a timer lacks its keys');
  return [
    {
      Delete: {
        TableName: names.timers,
        Key: { shard, due },
        ConditionExpression: 'rev = :rev',
        ExpressionAttributeValues: { ':rev': rev },
      },
    },
    { Put: { TableName: names.jobs, Item: job, ConditionExpression: 'attribute_not_exists(id)' } },
  ];
}
