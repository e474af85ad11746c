import type { EventsConfig, HistoryMode, MetricsMode, WorkerQueues } from '../shared/config/environment.ts';
import { defined } from '../shared/core/defined.ts';
import type { TableName } from '../shared/ports/tables.ts';

/** A table, by what statements and environments need of it. */
export interface TableReference {
  readonly name: string;
  readonly arn: string;
}

/** A queue, by what statements and environments need of it. */
export interface QueueReference {
  readonly url: string;
  readonly arn: string;
}

/** The queues of a worker. `fifo` is there only when the worker runs grouped jobs. */
export interface WorkerReferences {
  readonly lanes: Readonly<Record<string, QueueReference>>;
  /** The lowest priority of each lane but the lowest. */
  readonly from?: Readonly<Record<string, number>>;
  /** Priority of jobs that nobody gives one. */
  readonly priority?: number;
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

/** Events as a function's environment says them; clients of other functions have no bus. */
export function eventsConfig({ log, busArn, on }: EventReferences, withBus: boolean): EventsConfig {
  return {
    ...defined({ log }),
    ...(busArn === undefined || !withBus ? {} : { bus: busArn }),
    ...defined({ on }),
  };
}

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
  /** ARN of the customer-managed key of tables and queues. */
  readonly encryptionKeyArn?: string;
  /** The stack that it is part of; absent where another one deploys it. */
  readonly stackArn?: string;
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
    ...defined({ priority: worker.priority }),
    ...(worker.fifo === undefined ? {} : { fifo: worker.fifo.url }),
    ...(withDeadLetterQueues && worker.deadLetterQueue ? { deadLetterQueue: worker.deadLetterQueue.url } : {}),
    ...(withDeadLetterQueues && worker.fifoDeadLetterQueue ? { fifoDeadLetterQueue: worker.fifoDeadLetterQueue.url } : {}),
    ...(withDeadLetterQueues && worker.timeoutMs !== undefined ? { timeoutMs: worker.timeoutMs } : {}),
  };
}
