import { CreateQueueCommand, GetQueueAttributesCommand, type QueueAttributeName, type SQSClient } from '@aws-sdk/client-sqs';
import { queueVisibilityMs } from '../shared/config/deployment-checks.ts';
import type { WorkerQueues } from '../shared/config/environment.ts';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';

/** Options of a worker's queues. */
export interface WorkerLayout extends Pick<WorkerQueues, 'from' | 'priority'> {
  readonly lanes: readonly string[];
  readonly groups?: boolean;
  /** Whether its jobs run outside Lambda, under leases of their own. */
  readonly outside?: boolean;
}

/** Which queues to create: one standard queue per lane of each worker, and FIFO ones for workers that run grouped jobs. */
export interface QueueLayout {
  /** Begins every queue's name. */
  readonly prefix: string;
  readonly workers: Readonly<Record<string, WorkerLayout>>;
}

type Attributes = Partial<Record<QueueAttributeName, string>>;

const DEAD_LETTER_RETENTION_S = 14 * 86_400;
const HIGH_THROUGHPUT: Attributes = { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };

/** Creates the queues and gives their URLs by worker, as `encodeEnvironment` takes them. */
export async function createQueues(client: SQSClient, layout: QueueLayout, settings: Settings): Promise<Record<string, WorkerQueues>> {
  const workers = Object.entries(layout.workers).map(async ([worker, { lanes, groups, from, priority, outside = false }]) => {
    // Names of workers and lanes hold no underscore, so no two queues can get the same name.
    const name = `${layout.prefix}_${worker}`;
    const standard = await createKind(client, 'standard', { name, queues: lanes, outside }, settings);
    const fifo = groups ? await createKind(client, 'fifo', { name, queues: ['groups'], outside }, settings) : undefined;
    const queues: WorkerQueues = {
      lanes: standard.urls,
      ...defined({ from, priority }),
      deadLetterQueue: standard.deadLetterQueue,
      ...(fifo?.urls['groups'] === undefined ? {} : { fifo: fifo.urls['groups'], fifoDeadLetterQueue: fifo.deadLetterQueue }),
    };
    return [worker, queues] as const;
  });
  return Object.fromEntries(await Promise.all(workers));
}

async function createKind(
  client: SQSClient,
  kind: 'standard' | 'fifo',
  { name, queues, outside }: { readonly name: string; readonly queues: readonly string[]; readonly outside: boolean },
  settings: Settings,
): Promise<{ readonly urls: Record<string, string>; readonly deadLetterQueue: string }> {
  const suffix = kind === 'fifo' ? '.fifo' : '';
  const ordered = kind === 'fifo' ? HIGH_THROUGHPUT : {};
  const deadLetterQueue = await createQueue(client, `${name}__dead${suffix}`, {
    ...ordered,
    MessageRetentionPeriod: String(DEAD_LETTER_RETENTION_S),
  });
  const { Attributes: found } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterQueue, AttributeNames: ['QueueArn'] }),
  );
  const attributes: Attributes = {
    ...ordered,
    VisibilityTimeout: String(Math.ceil(queueVisibilityMs(kind, settings, outside) / 1000)),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: found?.QueueArn, maxReceiveCount: settings.maxReceiveCount }),
  };
  const urls = await Promise.all(
    queues.map(async (queue) => [queue, await createQueue(client, `${name}_${queue}${suffix}`, attributes)] as const),
  );
  return { urls: Object.fromEntries(urls), deadLetterQueue };
}

async function createQueue(client: SQSClient, QueueName: string, attributes: Attributes): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  if (QueueUrl === undefined) throw new Error(`queue ${QueueName} was created without a URL`);
  return QueueUrl;
}
