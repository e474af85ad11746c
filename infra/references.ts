import type { Grant } from 'aws-cdk-lib/aws-iam';
import type { EventsConfig, HistoryMode, MetricsMode, WorkerQueues } from '../shared/config/environment.ts';
import { defined } from '../shared/job/defined.ts';
import type { TableName } from '../shared/ports/tables.ts';

/** A table, as statements and environments need it. */
export interface TableReference {
  readonly name: string;
  readonly arn: string;
}

/** A queue, as statements and environments need it. */
export interface QueueReference {
  readonly url: string;
  readonly arn: string;
}

/** A customer-managed key, as statements need it. */
export interface KeyReference {
  readonly arn: string;
  /** Services through which it is used, as `kms:ViaService` names them. */
  readonly services: readonly string[];
}

/** The bucket of large payloads, as statements and environments need it. */
export interface PayloadBucketReference {
  readonly name: string;
  readonly arn: string;
  /** All its objects. */
  readonly objectsArn: string;
}

/** The queues of a worker. `fifo` is there only when the worker runs grouped jobs. */
export interface WorkerReferences {
  readonly lanes: Readonly<Record<string, QueueReference>>;
  /** The lowest priority of each lane but the lowest. */
  readonly from?: Readonly<Record<string, number>>;
  /** Default priority. */
  readonly priority?: number;
  /** Names that the worker had before. */
  readonly formerly?: readonly string[];
  readonly fifo?: QueueReference;
  readonly deadLetterQueue?: QueueReference;
  readonly fifoDeadLetterQueue?: QueueReference;
  /** Timeout of its executor where it has one of its own. */
  readonly timeoutMs?: number;
}

/** Where a deployment's events go. */
export interface EventReferences {
  readonly log?: boolean;
  readonly busArn?: string;
  readonly on?: boolean;
}

/** Events, as encoded in a function's environment; clients of other functions have no bus. */
export function eventsConfig({ log, busArn, on }: EventReferences, withBus: boolean): EventsConfig {
  return {
    ...defined({ log }),
    ...(busArn === undefined || !withBus ? {} : { bus: busArn }),
    ...defined({ on }),
  };
}

/** What has a policy of its own, and how that policy names it. */
export type SharedResource = Pick<Parameters<typeof Grant.addToPrincipalOrResource>[0], 'resource' | 'resourceSelfArns'>;

/** All that a grant, a connected function or a metric needs of a deployment, whether it was made here or elsewhere. */
export interface DeploymentReferences {
  readonly name: string;
  readonly tables: Readonly<Record<TableName, TableReference>>;
  readonly workers: Readonly<Record<string, WorkerReferences>>;
  /** Only where they differ from the defaults; durations in milliseconds. */
  readonly settings: Readonly<Record<string, number>>;
  readonly history?: HistoryMode;
  readonly metrics?: MetricsMode;
  readonly events?: EventReferences;
  /** Absent without `largePayloads`. */
  readonly payloads?: PayloadBucketReference;
  /** Customer-managed keys of tables and queues. */
  readonly keys?: readonly KeyReference[];
  /** The stack that it is part of; absent where another one deploys it. */
  readonly stackArn?: string;
  /** Tables, queues and key by ARN; absent where another app deploys them. */
  readonly resources?: ReadonlyMap<string, SharedResource>;
}

/** The queues to which hints of a worker's jobs go. */
export function hintQueues(worker: WorkerReferences): readonly QueueReference[] {
  return [...Object.values(worker.lanes), ...(worker.fifo === undefined ? [] : [worker.fifo])];
}

/** The dead-letter queues of a worker. */
export function deadLetterQueues(worker: WorkerReferences): readonly QueueReference[] {
  return [worker.deadLetterQueue, worker.fifoDeadLetterQueue].filter((queue) => queue !== undefined);
}

/** A worker's queue URLs, as its functions' environment carries them; clients need no dead-letter queues. */
export function queueUrls(worker: WorkerReferences, withDeadLetterQueues: boolean): WorkerQueues {
  return {
    lanes: Object.fromEntries(Object.entries(worker.lanes).map(([lane, { url }]) => [lane, url])),
    ...(worker.from === undefined || Object.keys(worker.from).length === 0 ? {} : { from: worker.from }),
    ...defined({ priority: worker.priority, formerly: worker.formerly }),
    ...(worker.fifo === undefined ? {} : { fifo: worker.fifo.url }),
    ...(withDeadLetterQueues && worker.deadLetterQueue ? { deadLetterQueue: worker.deadLetterQueue.url } : {}),
    ...(withDeadLetterQueues && worker.fifoDeadLetterQueue ? { fifoDeadLetterQueue: worker.fifoDeadLetterQueue.url } : {}),
    ...(withDeadLetterQueues && worker.timeoutMs !== undefined ? { timeoutMs: worker.timeoutMs } : {}),
  };
}
