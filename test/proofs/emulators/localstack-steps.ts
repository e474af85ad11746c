import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { renderInvoice, reportOrders } from '../../../examples/order-service/jobs.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../../shared/config/environment.ts';
import { createJobClient } from '../../../shared/index.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import { ended, type Walk } from '../deployed/job-states.ts';
import { must } from '../deployed/report.ts';

type Environment = Readonly<Record<string, string>>;

/** Checks that the emulator's CloudFormation created the template's resources: keys, indexes and TTL of the tables, attributes of the queues. */
export async function asSynthesized(environment: Environment): Promise<true> {
  const { tables, workers } = decodeEnvironment(environment);
  for (const name of TABLE_NAMES) await tableAsSpecified(name, tables[name]);
  const { lanes, fifo } = workers.get('default') ?? { lanes: {} };
  const standard = await queueAttributes(lanes['default']);
  // Six times the executor's minute, and its minute with lease margin and half a minute.
  must('visibility of the lane', standard['VisibilityTimeout'], '360');
  const grouped = await queueAttributes(fifo);
  must('visibility of the FIFO queue', grouped['VisibilityTimeout'], '100');
  must('deduplication scope', grouped['DeduplicationScope'], 'messageGroup');
  for (const { RedrivePolicy = '{}' } of [standard, grouped]) {
    const { maxReceiveCount, deadLetterTargetArn } = JSON.parse(RedrivePolicy) as Record<string, string | number>;
    must('receives before the dead-letter queue', Number(maxReceiveCount), 100);
    if (!String(deadLetterTargetArn).startsWith('arn:aws:sqs:')) throw new Error(`the redrive policy is ${RedrivePolicy}`);
  }
  return true;
}

async function tableAsSpecified(name: keyof typeof TABLE_SPECS, TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  const spec = TABLE_SPECS[name];
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const keys = (schema: readonly { readonly AttributeName?: string | undefined }[] = []): unknown =>
    schema.map(({ AttributeName }) => AttributeName);
  must(
    `keys of ${name}`,
    keys(Table?.KeySchema),
    [spec.partition, spec.sort].filter((key) => key !== undefined),
  );
  const indexes = Object.fromEntries(
    (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName = '', KeySchema }) => [IndexName, keys(KeySchema)]),
  );
  for (const [index, { partition, sort }] of Object.entries(spec.indexes))
    must(`keys of ${name}/${index}`, indexes[index], [partition, sort]);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  must(`TTL of ${name}`, TimeToLiveDescription?.AttributeName, spec.ttl);
}

async function queueAttributes(QueueUrl: string | undefined): Promise<Readonly<Record<string, string | undefined>>> {
  const { Attributes = {} } = await new SQSClient({ useQueueUrlAsEndpoint: false }).send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Attributes;
}

const DELAY_MS = 6_000;

/** A job that waits in its queue, because it is due soon: it is ready at once, and not run before its time. */
export async function delayed(walking: Walk): Promise<true> {
  const { operator, terms } = walking;
  const { id } = await operator.jobs.enqueue(reportOrders, { day: '2026-02-28' }, { delay: DELAY_MS });
  const dueAt = (await operator.jobs.get(id))?.dueAt.getTime() ?? 0;
  await terms.clock.wait(dueAt - terms.clock.now() - 1_000, terms.stopping);
  const early = await operator.jobs.get(id);
  must('the job a second before it is due', [early?.state, early?.attempts], ['ready', 0]);
  const { attempts } = await ended(walking, id, 'completed');
  must('attempts', attempts, 1);
  return true;
}

/** A producer that died between its write and its message: the job is stored, and only the sweeper will find it. Returns its id. */
export async function enqueueWithoutMessage(environment: Environment, orderId: string): Promise<string> {
  const settings = { ...(JSON.parse(environment[ENVIRONMENT.settings] ?? '{}') as Record<string, number>), firstRedispatchAfterMs: 1_000 };
  const hasty = createJobClient({
    environment: { ...environment, [ENVIRONMENT.settings]: JSON.stringify(settings) },
    journal: silentJournal,
  });
  const { id, items } = hasty.prepare(renderInvoice, { orderId });
  await new DynamoDBClient({}).send(new TransactWriteItemsCommand({ TransactItems: items }));
  return id;
}
