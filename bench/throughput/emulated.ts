import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { createQueues } from '../../local/create-queues.ts';
import { createTables } from '../../local/create-tables.ts';
import { startEmbeddedDynamo } from '../../local/emulators/embedded-dynamo.ts';
import { EMULATED, useEmulatorCredentials } from '../../local/emulators/emulator-credentials.ts';
import { TIMEOUTS } from '../../shared/adapters/aws/request-handler.ts';
import { encodeEnvironment } from '../../shared/config/environment.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { startFauxqsProcess } from '../frame/fauxqs-process.ts';

/** Carefully configured clients: timeouts and sockets as in ours, but none of our code. */
export interface BareClients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
}

/** Separate tables and a queue. */
export interface Place {
  readonly names: Readonly<Record<TableName, string>>;
  readonly queueUrl: string;
  /** The environment of its functions, as the construct would set it; metrics are off, because they would go to this process's output. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The emulators of a run, each in a process of its own, so that both sides find them in the same state. */
export interface Emulated {
  readonly bare: BareClients;
  place(settings?: Readonly<Record<string, number>>): Promise<Place>;
  /** Purges the queue: old messages would make the emulator slower from round to round. */
  purge(place: Place): Promise<void>;
  stop(): Promise<void>;
}

const SOCKETS = 256;
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };
const REGION = 'us-east-1';

/** Starts them on loopback; the caller must stop them. */
export async function startEmulated(): Promise<Emulated> {
  const restore = useEmulatorCredentials();
  const [database, queueing] = await Promise.all([startEmbeddedDynamo(), startFauxqsProcess()]);
  const access = { region: REGION, credentials: CREDENTIALS };
  const dynamo = new DynamoDBClient({ ...access, endpoint: database.endpoint, requestHandler: bareHandler() });
  const sqs = new SQSClient({ ...access, endpoint: queueing.endpoint, requestHandler: bareHandler(), useQueueUrlAsEndpoint: false });
  // Ours lack it too: it copies each request and response for a logger, and there is none.
  for (const { middlewareStack } of [dynamo, sqs]) middlewareStack.remove('loggerMiddleware');
  const aws = {
    ...Object.fromEntries(Object.entries(EMULATED).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_ENDPOINT_URL_SQS: queueing.endpoint,
  };
  return {
    bare: { dynamo, sqs },
    async place(settings = {}) {
      const prefix = `bench-${randomBytes(4).toString('hex')}`;
      const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
      await createTables(dynamo, names);
      const workers = await createQueues(sqs, { prefix, workers: { default: { lanes: ['default'] } } }, resolveSettings(settings));
      const environment = encodeEnvironment({ tables: names, workers, settings, metrics: 'off', worker: 'default' });
      return { names, queueUrl: workers['default']?.lanes['default'] ?? '', environment: { ...aws, ...environment } };
    },
    purge: async ({ queueUrl: QueueUrl }) => void (await sqs.send(new PurgeQueueCommand({ QueueUrl }))),
    async stop() {
      dynamo.destroy();
      sqs.destroy();
      await Promise.all([database.stop(), queueing.stop()]);
      restore();
    },
  };
}

function bareHandler(): NodeHttpHandler {
  return new NodeHttpHandler({
    connectionTimeout: TIMEOUTS.connectionMs,
    socketTimeout: TIMEOUTS.socketMs,
    requestTimeout: TIMEOUTS.requestMs,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: SOCKETS },
    httpsAgent: { maxSockets: SOCKETS },
  });
}
