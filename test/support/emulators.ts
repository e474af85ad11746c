import { randomBytes } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createQueues, type QueueLayout } from '../../local/create-queues.ts';
import { createTables } from '../../local/create-tables.ts';
import { startDynoxide } from '../../local/emulators/dynoxide.ts';
import type { RunningDynamo } from '../../local/emulators/emulator-process.ts';
import { startFauxqs } from '../../local/emulators/fauxqs.ts';
import type { WorkerQueues } from '../../shared/config/environment.ts';
import { resolveSettings, type Settings } from '../../shared/config/settings.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { afterTestFile } from './after-test-file.ts';
import { EMULATOR_ACCESS } from './emulator-access.ts';

let dynamo: Promise<{ readonly endpoint: string; readonly client: DynamoDBClient }> | undefined;
let sqs: Promise<{ readonly endpoint: string; readonly client: SQSClient }> | undefined;

/** Started when a test file of this process asks for it first; it ends with the process. */
let dynoxide: Promise<RunningDynamo> | undefined;

/** The DynamoDB of this process, which test files share, and a client of this test file. */
export function testDynamo(): Promise<{ readonly endpoint: string; readonly client: DynamoDBClient }> {
  dynamo ??= (async () => {
    const { endpoint } = await (dynoxide ??= startDynoxide());
    const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint });
    afterTestFile(() => {
      dynamo = undefined;
      client.destroy();
    });
    return { endpoint, client };
  })();
  return dynamo;
}

/** The SQS of this test file; see `testDynamo`. */
export function testSqs(): Promise<{ readonly endpoint: string; readonly client: SQSClient }> {
  sqs ??= (async () => {
    const running = await startFauxqs();
    const client = createSqsClient({ ...EMULATOR_ACCESS, endpoint: running.endpoint });
    afterTestFile(async () => {
      sqs = undefined;
      client.destroy();
      await running.stop();
    });
    return { endpoint: running.endpoint, client };
  })();
  return sqs;
}

/** A prefix that no other test has, so that tests share an emulator and nothing else. */
export function freshPrefix(): string {
  return `t${randomBytes(6).toString('hex')}`;
}

/** Six empty tables of one's own, and the client to reach them. */
export async function freshTables(): Promise<{ readonly client: DynamoDBClient; readonly names: Readonly<Record<TableName, string>> }> {
  const { client, names, create } = await tablesOnDemand();
  await create(...TABLE_NAMES);
  return { client, names };
}

/** Names of six tables of one's own, and what creates some of them. */
export async function tablesOnDemand(): Promise<{
  readonly client: DynamoDBClient;
  readonly names: Readonly<Record<TableName, string>>;
  readonly create: (...tables: readonly TableName[]) => Promise<void>;
}> {
  const { client } = await testDynamo();
  const prefix = freshPrefix();
  const named = (tables: readonly TableName[]) => Object.fromEntries(tables.map((name) => [name, `${prefix}-${name}`]));
  return {
    client,
    names: named(TABLE_NAMES) as Record<TableName, string>,
    // DynamoDB Local deletes what has expired by its own clock, which is far ahead of a test's.
    create: async (...tables) => createTables(client, named(tables), { expire: false }),
  };
}

/** Empty queues of one's own for the given workers. */
export async function freshQueues(
  workers: QueueLayout['workers'],
  settings: Settings = resolveSettings(),
): Promise<{ readonly client: SQSClient; readonly workers: ReadonlyMap<string, WorkerQueues> }> {
  const { client } = await testSqs();
  const queues = await createQueues(client, { prefix: freshPrefix(), workers }, settings);
  return { client, workers: new Map(Object.entries(queues)) };
}
