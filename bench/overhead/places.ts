import { randomBytes } from 'node:crypto';
import { createQueues } from '../../local/create-queues.ts';
import { createTables } from '../../local/create-tables.ts';
import { createClient } from '../../shared/client/job-client.ts';
import { type DeploymentInput, decodeEnvironment, encodeEnvironment } from '../../shared/config/environment.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { encodeHint, type Hint } from '../../shared/job/hint.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import type { SqsEvent, SqsRecord } from '../../shared/adapters/sqs/event.ts';
import { noop, orderOf } from './bench-job.ts';
import type { Clients } from './hand-written.ts';

const BATCH = 10;

/** Tables and a queue of one side, and the code that fills them outside the measured time. */
export interface Place {
  readonly environment: Readonly<Record<string, string>>;
  readonly table: string;
  readonly queueUrl: string;
  /** Puts jobs and gives the events that SQS would invoke a function with: ten messages each. */
  readonly filled: (jobs: number) => Promise<readonly SqsEvent[]>;
}

/** Creates a side's tables and queue; both sides get theirs by the same code, and the same rows in them. */
export async function createPlace(clients: Clients, terms: Pick<DeploymentInput, 'history' | 'settings'>): Promise<Place> {
  const prefix = `overhead-${randomBytes(4).toString('hex')}`;
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  await createTables(clients.dynamo, tables);
  const workers = await createQueues(clients.sqs, { prefix, workers: { default: { lanes: ['default'] } } }, resolveSettings());
  const environment = encodeEnvironment({ ...terms, tables, workers, worker: 'default' });
  const queueUrl = workers['default']?.lanes['default'] ?? '';
  const sent: Hint[] = [];
  const client = createClient(
    {
      deployment: decodeEnvironment(environment),
      tables: createDynamoTables({ client: clients.dynamo, names: tables, clock: systemClock, entropy: systemEntropy }),
      hints: { send: async (hints) => (sent.push(...hints), []) },
      journal: silentJournal,
      clock: systemClock,
      entropy: systemEntropy,
      beforeCreate: [],
    },
    (writes) => [...writes],
  );
  return {
    environment,
    table: tables.jobs,
    queueUrl,
    async filled(jobs) {
      const { failed } = await client.enqueueMany(
        noop,
        Array.from({ length: jobs }, (_, n) => orderOf(n)),
      );
      if (failed.length > 0) throw new Error(`${failed.length} of ${jobs} jobs were not put: ${failed[0]?.error.message}`);
      return eventsOf(sent.splice(0), queueUrl);
    },
  };
}

function eventsOf(hints: readonly Hint[], queueUrl: string): readonly SqsEvent[] {
  const eventSourceARN = `arn:aws:sqs:us-east-1:000000000000:${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}`;
  const records = hints.map((hint, n): SqsRecord => ({
    messageId: `m-${n}`,
    receiptHandle: `r-${n}`,
    body: encodeHint(hint, false),
    attributes: { ApproximateReceiveCount: '1' },
    eventSourceARN,
  }));
  return Array.from({ length: Math.ceil(records.length / BATCH) }, (_, batch) => ({
    Records: records.slice(batch * BATCH, (batch + 1) * BATCH),
  }));
}
