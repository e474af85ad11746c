import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Region } from '../../../local/region.ts';
import type { AcceptedJob, Completion, Evidence, Run } from './audit.ts';
import { readLedgers } from './ledger-file.ts';

/** What the tables and queues hold. */
export type Remains = Pick<Evidence, 'finished' | 'dead' | 'unsettled' | 'locks' | 'deadMessages'>;

/** What the torture knows besides. */
export interface Known {
  readonly folder: string;
  readonly accepted: ReadonlyMap<string, AcceptedJob>;
  readonly zombies: ReadonlySet<number>;
  /** When each process was last seen alive, by its id. */
  readonly lastSeen: ReadonlyMap<number, number>;
}

type Item = Record<string, AttributeValue>;

/** Reads all tables, strongly consistent, one after another. */
export async function readRemains({ dynamo, sqs, tables, queues }: Region): Promise<Remains> {
  const unsettled = new Map<string, string>();
  for (const table of ['jobs', 'timers', 'suspended'] as const) {
    for (const item of await scan(dynamo, tables[table]))
      unsettled.set(item['id']?.S ?? '?', `${table}, of ${item['lockOwner']?.S ?? 'nobody'}`);
  }
  const control = (await scan(dynamo, tables.control)).map((item) => `${item['pk']?.S} ${item['sk']?.S}`);
  const dead = (await scan(dynamo, tables.deadLetters)).map((item) => [item['id']?.S ?? '?', item['reason']?.S ?? '?'] as const);
  const finished = (await scan(dynamo, tables.history)).map(
    (item) => [item['id']?.S ?? '?', { outcome: item['outcome']?.S ?? '?', finishedAt: Date.parse(item['finishedAt']?.S ?? '') }] as const,
  );
  let deadMessages = 0;
  for (const { deadLetterQueue, fifoDeadLetterQueue } of Object.values(queues)) {
    for (const QueueUrl of [deadLetterQueue, fifoDeadLetterQueue]) {
      if (QueueUrl === undefined) continue;
      const AttributeNames = ['ApproximateNumberOfMessages' as const];
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      deadMessages += Number(Attributes?.['ApproximateNumberOfMessages']);
    }
  }
  return {
    finished: new Map(finished),
    dead: new Map(dead),
    unsettled,
    // Heartbeats, cursors and pointers to moved timers are meant to stay.
    locks: control.filter((key) => /^(group#|acquire |key#)/.test(key)),
    deadMessages,
  };
}

async function scan(dynamo: DynamoDBClient, TableName: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true })) items.push(...Items);
  return items;
}

/** Puts together what the tables hold and what the ledgers say. */
export function gatherEvidence(remains: Remains, known: Known): Evidence {
  const runs: Run[] = [];
  const completions: Completion[] = [];
  let refusedZombies = 0;
  for (const [pid, lines] of readLedgers(known.folder)) {
    if (known.zombies.has(pid) && lines.some((line) => line.what === 'refused')) refusedZombies += 1;
    const lastAt = Math.max(known.lastSeen.get(pid) ?? 0, ...lines.map(({ at }) => at));
    for (const line of lines) {
      if (line.what === 'completed') completions.push({ id: line.id, at: line.at });
      if (line.what !== 'start') continue;
      const { id, attempt, dueAt, at, group } = line;
      const end = lines.find((other) => other.what === 'end' && other.id === id && other.attempt === attempt && other.at >= at);
      runs.push({ id, attempt, pid, dueAt, startedAt: at, endedAt: end?.at ?? lastAt, ...(group === undefined ? {} : { group }) });
    }
  }
  return { ...remains, accepted: known.accepted, runs, completions, refusedZombies, zombies: known.zombies };
}
