import { Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queueVisibilityMs } from '../shared/config/deployment-checks.ts';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';
import type { WorkerLanePlan } from './lane-plan.ts';
import type { QueueReference, WorkerReferences } from './references.ts';

const MAX_QUEUE_NAME = 80;

/** A worker's options of its queues. */
export interface WorkerQueuesOptions {
  readonly settings: Settings;
  readonly lanes: WorkerLanePlan;
  /** Whether jobs with a group run here: they need a FIFO queue. */
  readonly groups: boolean;
  /** Whether its jobs run outside Lambda, under leases of their own. */
  readonly outside: boolean;
  /** Names that the worker had before. */
  readonly formerly?: readonly string[];
  /** Timeout of its executor where it has one of its own. */
  readonly timeoutMs?: number;
  readonly encryptionKey?: IKey;
}

/** The queues of one worker: a standard queue per lane, a FIFO queue if it runs grouped jobs, and a dead-letter queue of each kind. */
export class WorkerQueues extends Construct {
  readonly lanes: Readonly<Record<string, Queue>>;
  readonly fifo?: Queue;
  readonly deadLetterQueue: Queue;
  readonly fifoDeadLetterQueue?: Queue;
  readonly #options: WorkerQueuesOptions;

  constructor(scope: Construct, id: string, options: WorkerQueuesOptions) {
    super(scope, id);
    this.#options = options;
    const laneNames = Object.fromEntries(Object.keys(options.lanes.capacities).map((lane) => [lane, this.#sourceName(`-${lane}`)]));
    this.deadLetterQueue = this.#deadLetterQueue('DeadLetterQueue', Object.values(laneNames), false);
    this.lanes = Object.fromEntries(
      Object.entries(laneNames).map(([lane, queueName]) => [lane, this.#source(`Lane-${lane}`, queueName, this.deadLetterQueue)]),
    );
    if (options.groups) {
      const queueName = this.#sourceName('.fifo');
      this.fifoDeadLetterQueue = this.#deadLetterQueue('FifoDeadLetterQueue', [queueName], true);
      this.fifo = this.#source('Fifo', queueName, this.fifoDeadLetterQueue);
    }
  }

  /** All queues that take hints. */
  get sources(): readonly Queue[] {
    return [...Object.values(this.lanes), ...(this.fifo === undefined ? [] : [this.fifo])];
  }

  get deadLetterQueues(): readonly Queue[] {
    return [this.deadLetterQueue, ...(this.fifoDeadLetterQueue === undefined ? [] : [this.fifoDeadLetterQueue])];
  }

  get references(): WorkerReferences {
    const { timeoutMs, formerly } = this.#options;
    const { from, priority } = this.#options.lanes;
    return {
      lanes: Object.fromEntries(Object.entries(this.lanes).map(([lane, queue]) => [lane, referenceOf(queue)])),
      from,
      ...defined({ priority, formerly }),
      deadLetterQueue: referenceOf(this.deadLetterQueue),
      ...(this.fifo === undefined ? {} : { fifo: referenceOf(this.fifo) }),
      ...(this.fifoDeadLetterQueue === undefined ? {} : { fifoDeadLetterQueue: referenceOf(this.fifoDeadLetterQueue) }),
      ...defined({ timeoutMs }),
    };
  }

  /**
   * The only physical name: a dead-letter queue lists the queues that may use it, and they refer to it, so that one
   * of the two must be known before it exists.
   */
  #sourceName(suffix: string): string {
    return `${Names.uniqueResourceName(this, { maxLength: MAX_QUEUE_NAME - suffix.length, separator: '-', allowedSpecialCharacters: '-' })}${suffix}`;
  }

  #source(id: string, queueName: string, deadLetterQueue: Queue): Queue {
    const { settings, outside } = this.#options;
    const kind = queueName.endsWith('.fifo') ? 'fifo' : 'standard';
    return new Queue(this, id, {
      ...this.#common(),
      queueName,
      visibilityTimeout: Duration.millis(queueVisibilityMs(kind, settings, outside)),
      receiveMessageWaitTime: Duration.seconds(20),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: settings.maxReceiveCount },
      ...(kind === 'fifo' ? HIGH_THROUGHPUT : {}),
    });
  }

  #deadLetterQueue(id: string, sourceNames: readonly string[], fifo: boolean): Queue {
    return new Queue(this, id, {
      ...this.#common(),
      retentionPeriod: Duration.days(14),
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        sourceQueues: sourceNames.map((name, index) => Queue.fromQueueArn(this, `${id}-Source${index}`, this.#arnOf(name))),
      },
      ...(fifo ? HIGH_THROUGHPUT : {}),
    });
  }

  #arnOf(queueName: string): string {
    return Stack.of(this).formatArn({ service: 'sqs', resource: queueName });
  }

  #common(): QueueProps {
    const { encryptionKey } = this.#options;
    return {
      enforceSSL: true,
      // Queues hold hints only, and a kept queue would be in the way of its successor's name.
      removalPolicy: RemovalPolicy.DESTROY,
      ...queueEncryption(encryptionKey),
    };
  }
}

const HIGH_THROUGHPUT = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

function referenceOf(queue: Queue): QueueReference {
  return { url: queue.queueUrl, arn: queue.queueArn };
}

/** Encryption of a queue: with the key of the deployment, or one that SQS owns. */
export function queueEncryption(encryptionKey: IKey | undefined): Pick<QueueProps, 'encryption' | 'encryptionMasterKey'> {
  if (encryptionKey === undefined) return { encryption: QueueEncryption.SQS_MANAGED };
  return { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey };
}
