import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { onTestFinished } from 'vitest';
import type { WorkerQueues } from '../../shared/config/environment.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import { createFaults, type Faults } from '../../testing/index.ts';
import { EMULATOR_ACCESS } from './emulator-access.ts';
import { freshQueues, freshTables, testDynamo, testSqs } from './emulators.ts';

/** Tables in Dynoxide, reached through the real SDK client with faults under it. */
export interface FaultyDynamo {
  readonly faults: Faults;
  readonly client: DynamoDBClient;
  readonly names: Readonly<Record<TableName, string>>;
  readonly tables: Tables;
}

/** Empty tables of one's own, on the time of `clock`. */
export async function faultyDynamo(clock: Clock = systemClock, faults = createFaults()): Promise<FaultyDynamo> {
  const { names } = await freshTables();
  const { endpoint } = await testDynamo();
  const client = faults.under(createDynamoClient({ ...EMULATOR_ACCESS, endpoint }));
  onTestFinished(() => client.destroy());
  return { faults, client, names, tables: createDynamoTables({ client, names, clock, entropy: seededEntropy(1) }) };
}

/** Queues in fauxqs, reached through the real SDK client with faults under it. */
export interface FaultySqs {
  readonly faults: Faults;
  readonly client: SQSClient;
  readonly workers: ReadonlyMap<string, WorkerQueues>;
  readonly hints: HintSender;
}

/** Empty queues of one's own: one worker, `default`, with a FIFO queue. */
export async function faultySqs(clock: Clock = systemClock, faults = createFaults(), journal?: Journal): Promise<FaultySqs> {
  const { workers } = await freshQueues({ default: { lanes: ['default'], groups: true } });
  const { endpoint } = await testSqs();
  const client = faults.under(createSqsClient({ ...EMULATOR_ACCESS, endpoint }));
  onTestFinished(() => client.destroy());
  const deps = { client, workers, clock, entropy: seededEntropy(1), ...(journal === undefined ? {} : { journal }) };
  return { faults, client, workers, hints: createSqsHints(deps) };
}
