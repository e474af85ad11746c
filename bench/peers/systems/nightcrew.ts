import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { createQueues } from '../../../local/create-queues.ts';
import { createTables } from '../../../local/create-tables.ts';
import { startDynoxide } from '../../../local/emulators/dynoxide.ts';
import { EMULATED, useEmulatorCredentials } from '../../../local/emulators/emulator-credentials.ts';
import { createAwsClients } from '../../../shared/lambda/connect.ts';
import { createJobClient } from '../../../shared/client/create-job-client.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { startFauxqsProcess } from '../../frame/fauxqs-process.ts';
import { noopJob } from '../noop-job.ts';
import { CONCURRENCY, payload, type PeerSystem } from '../system.ts';

/** Lambda's least: an event source runs two executors at the same time or more. */
const EXECUTORS = 2;
const SETTINGS = { maxConcurrency: EXECUTORS, batchConcurrency: CONCURRENCY / EXECUTORS };
const PREFIX = 'peers';

/** Ours, as it is deployed by default: batches of ten, history on, but for the concurrency. */
export async function startNightcrew(): Promise<PeerSystem> {
  const restore = useEmulatorCredentials();
  const [database, queueing] = await Promise.all([startDynoxide(), startFauxqsProcess()]);
  const endpoints = { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_ENDPOINT_URL_SQS: queueing.endpoint };
  const clients = createAwsClients({ ...EMULATED, ...endpoints });
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${PREFIX}-${name}`])) as Record<TableName, string>;
  await createTables(clients.dynamo, tables);
  const workers = await createQueues(
    clients.sqs,
    { prefix: PREFIX, workers: { default: { lanes: ['default'] } } },
    resolveSettings(SETTINGS),
  );
  const deployment = encodeEnvironment({ tables, workers, settings: SETTINGS });
  const emulated = Object.fromEntries(Object.entries(EMULATED).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const client = createJobClient({ environment: { ...EMULATED, ...endpoints, ...deployment }, journal: silentJournal });
  return {
    name: 'nightcrew',
    about: `batches of ten from an event source, ${EXECUTORS} executors in one process of ${SETTINGS.batchConcurrency} jobs each, history on; enqueueMany`,
    storePids: [database.pid, queueing.pid].filter((pid) => pid !== undefined),
    worker: { file: 'nightcrew-worker.ts', environment: { ...emulated, ...endpoints, ...deployment, NIGHTCREW_WORKER: 'default' } },
    async enqueueMany(count) {
      const { failed } = await client.enqueueMany(
        noopJob,
        Array.from({ length: count }, (_, number) => payload(number)),
      );
      if (failed.length > 0) throw failed[0]?.error ?? new Error('not all jobs were enqueued');
    },
    enqueueOne: async () => void (await client.enqueue(noopJob, payload(0))),
    async isEmpty() {
      const { Items = [] } = await clients.dynamo.send(new ScanCommand({ TableName: tables.jobs, Limit: 1 }));
      return Items.length === 0;
    },
    async stop() {
      clients.dynamo.destroy();
      clients.sqs.destroy();
      await Promise.all([database.stop(), queueing.stop()]);
      restore();
    },
  };
}
