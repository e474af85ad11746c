import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createQueues } from '../../local/create-queues.ts';
import { createTables } from '../../local/create-tables.ts';
import { startDynamoDBLocal } from '../../local/emulators/dynamodb-local.ts';
import { startDynoxide } from '../../local/emulators/dynoxide.ts';
import { useEmulatorCredentials } from '../../local/emulators/emulator-credentials.ts';
import { startEventSource } from '../../local/event-source.ts';
import { startFauxqs } from '../../local/emulators/fauxqs.ts';
import { createSharedProcessRuntime } from '../../local/shared-process-runtime.ts';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import type { Deployment, HistoryMode } from '../../shared/config/environment.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { DEFAULT_RETRY } from '../../shared/job/retry-policy.ts';
import { BatchSupport } from '../../shared/adapters/dynamodb/batch-support.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { batchResponse, receivedHints, type SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import { executeMessages } from '../../functions/executor/execute-messages.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { createRulesCache } from '../../functions/executor/gates/rules.ts';
import { countRequests, countStatements, type Meter, meterOf } from './meter.ts';

/** The production code over emulators that report what they consumed, one executor behind an event source. */
export interface MeteredStack {
  readonly client: JobClient;
  readonly deps: ExecutorDeps;
  readonly meter: Meter;
  readonly rows: (table: TableName) => Promise<number>;
  stop(): Promise<void>;
}

/** Options of a measurement. */
export interface StackOptions {
  readonly handlers: readonly HandledJob[];
  readonly history: HistoryMode;
  /** On DynamoDB Local, whose claims and completions share requests. Default: on Dynoxide, a request for each write. */
  readonly inBatches?: boolean;
  readonly settings?: Parameters<typeof resolveSettings>[0];
}

/** Starts the stack on loopback; the caller must stop it. */
export async function startMeteredStack(options: StackOptions): Promise<MeteredStack> {
  const restore = useEmulatorCredentials();
  const [database, queueing] = await Promise.all([options.inBatches === true ? startDynamoDBLocal({}) : startDynoxide(), startFauxqs()]);
  const access = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const dynamo = createDynamoClient({ ...access, endpoint: database.endpoint });
  const sqs = createSqsClient({ ...access, endpoint: queueing.endpoint });
  const prefix = `bench-${randomBytes(4).toString('hex')}`;
  const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  await createPatiently(new DynamoDBClient({ ...access, endpoint: database.endpoint }), names);
  const settings = resolveSettings(options.settings);
  const queues = await createQueues(sqs, { prefix, workers: { default: { lanes: ['default'] } } }, settings);
  const deployment: Deployment = {
    tables: names,
    workers: new Map(Object.entries(queues)),
    settings,
    history: options.history,
    metrics: 'off',
    worker: 'default',
  };
  const meter = meterOf(names);
  countRequests(sqs, meter.count);
  const [clock, entropy, journal] = [systemClock, systemEntropy, silentJournal];
  if (options.inBatches === true) countStatements(dynamo, meter.consumed);
  const batches = options.inBatches === true ? { batches: requiredBatches() } : {};
  const tables = createDynamoTables({ client: dynamo, names, clock, entropy, onConsumed: meter.consumed, ...batches });
  const hints = createSqsHints({ client: sqs, workers: deployment.workers, clock, entropy });
  const deps = executorDeps({ deployment, tables, hints, inbox: hints, journal, clock, entropy }, options.handlers);
  const runtime = createSharedProcessRuntime({
    name: 'executor',
    memoryMb: settings.executorMemoryMb,
    create: () => async (event: SqsEvent, context) => {
      const invocation = { requestId: context.awsRequestId, deadlineAt: clock.now() + context.getRemainingTimeInMillis() };
      return batchResponse(await executeMessages(deps, receivedHints(event, deployment.workers), invocation));
    },
  });
  const source = await startEventSource({
    sqs,
    queueUrl: queues['default']?.lanes['default'] ?? '',
    runtime,
    functionTimeoutMs: settings.executorTimeoutMs,
    batchSize: 10,
    batchWindowMs: 300,
    maxConcurrency: 10,
  });
  return {
    client: createClient({ deployment, tables, hints, journal, clock, entropy, beforeCreate: [] }, (writes) => [...writes]),
    deps,
    meter,
    rows: async (table) => (await tables.scan({ table, segment: 0, segments: 1, limit: 100_000 })).rows.length,
    async stop() {
      await source.stop(5_000);
      dynamo.destroy();
      sqs.destroy();
      await Promise.all([database.stop(), queueing.stop()]);
      restore();
    },
  };
}

/** Without them, single writes would be counted, and nothing would show it. */
const requiredBatches = (): BatchSupport =>
  new BatchSupport({
    onRefused: ({ reason }) => {
      throw new Error(reason);
    },
  });

/** A store that has just been started may be slow to create tables; this client has no timeout. */
async function createPatiently(client: DynamoDBClient, names: Readonly<Record<TableName, string>>): Promise<void> {
  await createTables(client, names);
  client.destroy();
}

type Ports = Pick<ExecutorDeps, 'deployment' | 'tables' | 'hints' | 'inbox' | 'journal' | 'clock' | 'entropy'>;

function executorDeps(ports: Ports, handlers: readonly HandledJob[]): ExecutorDeps {
  const quiet = (): void => {};
  return {
    ...ports,
    sandbox: { end: quiet },
    handlers: new Map(handlers.map((handled) => [handled.type.name, handled])),
    around: [],
    rules: createRulesCache(),
    retry: DEFAULT_RETRY,
    log: () => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }),
  };
}
