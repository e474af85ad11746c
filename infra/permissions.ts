import type { TableName } from '../shared/ports/tables.ts';

/** Actions on a table. A transaction has no action of its own: DynamoDB checks the action of each of its items. */
export type TableAction =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem'
  | 'PartiQLUpdate'
  | 'PartiQLDelete'
  | 'PartiQLSelect'
  | 'Query'
  | 'Scan'
  | (typeof CHECKUP)[number];

/** Actions that describe a table, for `nightcrew doctor`; none of them reads a row. */
const CHECKUP = ['DescribeTable', 'DescribeTimeToLive', 'DescribeContinuousBackups'] as const;

/** For people: `nightcrew doctor`, and the statements of docs/operate/aws-console.md, which a machine without the CLI runs instead. */
const BY_HAND = [...CHECKUP, 'PartiQLSelect'] as const;

/** Conditional writes that travel in one request, which the functions alone make: IAM checks the action of each statement. */
const STATED = ['PartiQLUpdate', 'PartiQLDelete'] as const;

/** Actions on a queue. */
export type QueueAction = 'SendMessage' | 'ReceiveMessage' | 'DeleteMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes';

/** Actions on the objects of the bucket of large payloads. */
export type PayloadAction = 'PutObject' | 'GetObject' | 'GetObjectVersion' | 'DeleteObject';

/**
 * For those who read objects: S3 answers 404 for one that is gone only to a role with this permission, and 403 to others, as for a missing
 * right (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html). A request for an object has no prefix that a condition could name.
 */
const TELLS_GONE = ['ListBucket'] as const;

/** Everything that one role, or one kind of grant, may do. */
export interface Permissions {
  readonly tables: Readonly<Partial<Record<TableName, readonly TableAction[]>>>;
  /** Indexes that may be queried. */
  readonly indexes?: Readonly<Partial<Record<TableName, readonly string[]>>>;
  /** Lane and FIFO queues of all workers. */
  readonly queues?: readonly QueueAction[];
  /** Lane and FIFO queues of the worker that the function is. */
  readonly ownQueues?: readonly QueueAction[];
  /** Dead-letter queues of the worker that the function is. */
  readonly ownDeadLetterQueues?: readonly QueueAction[];
  /** Dead-letter queues of all workers. */
  readonly deadLetterQueues?: readonly QueueAction[];
  /** Objects of the bucket of large payloads, if there is one. */
  readonly payloads?: readonly PayloadAction[];
  /** That bucket itself. */
  readonly payloadBucket?: readonly 'ListBucket'[];
  /** The one event bus that a deployment names, if it does. */
  readonly eventBus?: readonly 'PutEvents'[];
  /** The stack of the deployment, whose outputs locate its resources. */
  readonly stack?: readonly 'DescribeStacks'[];
}

/** A function of the deployment, or a kind of grant to others. An executor also has `enqueue`. */
export type Role = 'executor' | 'acquirer' | 'sweeper' | 'cleaner' | 'enqueue' | 'cancel' | 'read' | 'operate' | 'list';

/** The exact permissions, as data, so that a test can compare them with the calls of the code. */
export const PERMISSIONS: Readonly<Record<Role, Permissions>> = {
  executor: {
    tables: {
      jobs: ['GetItem', 'UpdateItem', 'DeleteItem', 'PutItem', ...STATED],
      timers: ['PutItem', 'GetItem', 'Query', 'DeleteItem'],
      deadLetters: ['PutItem', 'GetItem'],
      suspended: ['PutItem', 'GetItem', 'DeleteItem'],
      control: ['PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'GetItem', 'ConditionCheckItem', 'PartiQLDelete'],
      history: ['PutItem', 'BatchWriteItem', 'GetItem'],
    },
    eventBus: ['PutEvents'],
    // A put whose answer was lost is looked for by GetObject; handlers are given exactly the version that was stored.
    payloads: ['PutObject', 'GetObject', 'GetObjectVersion', 'DeleteObject'],
    payloadBucket: TELLS_GONE,
    queues: ['SendMessage'],
    // The event source mapping receives, deletes and asks for attributes with the function's role.
    ownQueues: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'],
    ownDeadLetterQueues: ['SendMessage'],
  },
  acquirer: {
    tables: {
      jobs: ['PutItem', 'GetItem', 'DeleteItem'],
      timers: ['Query', 'DeleteItem', 'GetItem', 'PutItem', 'PartiQLDelete'],
      deadLetters: ['PutItem', 'GetItem'],
      control: ['PutItem', 'DeleteItem', 'GetItem', 'UpdateItem', 'Query', 'PartiQLDelete'],
      suspended: ['GetItem'],
      history: ['GetItem'],
    },
    eventBus: ['PutEvents'],
    queues: ['SendMessage'],
  },
  sweeper: {
    tables: {
      jobs: ['Scan', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLUpdate'],
      timers: ['PutItem', 'GetItem'],
      deadLetters: ['PutItem', 'GetItem', 'Scan', 'DeleteItem'],
      suspended: ['GetItem', 'DeleteItem'],
      control: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'ConditionCheckItem', ...STATED],
      history: ['PutItem', 'GetItem'],
    },
    eventBus: ['PutEvents'],
    indexes: { suspended: ['byCause'], deadLetters: ['byFingerprint'] },
    queues: ['SendMessage', 'GetQueueAttributes'],
  },
  cleaner: {
    tables: {
      jobs: ['GetItem'],
      timers: ['GetItem'],
      deadLetters: ['GetItem'],
      suspended: ['GetItem'],
      control: ['GetItem', 'Query', 'PutItem'],
      history: ['GetItem'],
    },
    payloads: ['DeleteObject'],
    payloadBucket: ['ListBucket'],
  },
  enqueue: {
    payloads: ['PutObject', 'GetObject'],
    tables: {
      jobs: ['GetItem', 'PutItem', 'ConditionCheckItem', 'BatchWriteItem'],
      timers: ['GetItem', 'PutItem', 'ConditionCheckItem', 'BatchWriteItem'],
      deadLetters: ['GetItem', 'ConditionCheckItem'],
      suspended: ['GetItem', 'ConditionCheckItem'],
      control: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem', 'Query'],
      history: ['GetItem', 'ConditionCheckItem', 'Query'],
    },
    queues: ['SendMessage'],
  },
  /** In addition to `enqueue`: cancel, reschedule, and replace the holder of a unique key. */
  cancel: {
    tables: {
      jobs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      timers: ['GetItem', 'PutItem', 'DeleteItem'],
      suspended: ['GetItem', 'PutItem', 'DeleteItem'],
      control: ['GetItem', 'PutItem', 'DeleteItem'],
      history: ['PutItem'],
    },
    queues: ['SendMessage'],
  },
  read: {
    tables: {
      jobs: ['GetItem', 'Scan', ...BY_HAND],
      timers: ['GetItem', 'Query', 'Scan', ...BY_HAND],
      deadLetters: ['GetItem', 'Scan', ...BY_HAND],
      suspended: ['GetItem', 'Scan', ...BY_HAND],
      control: ['GetItem', 'Query', 'Scan', ...BY_HAND],
      history: ['GetItem', 'Query', 'Scan', ...BY_HAND],
    },
    indexes: { deadLetters: ['byType', 'byFingerprint'], suspended: ['byCause'] },
    payloads: ['GetObjectVersion'],
    payloadBucket: TELLS_GONE,
    queues: ['GetQueueAttributes'],
    deadLetterQueues: ['GetQueueAttributes'],
    stack: ['DescribeStacks'],
  },
  /** The external API, in addition to what an outside worker and a producer may: find, list and count. */
  list: {
    tables: { jobs: ['Scan'], timers: ['Scan'], deadLetters: ['Scan'], suspended: ['Scan'], history: ['Scan'] },
    indexes: { deadLetters: ['byType'] },
  },
  /** In addition to `read`: redrive, delete, suspend, resume, edit, bury, cancel, one by one and in bulk; reconcile; erase. */
  operate: {
    tables: {
      jobs: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      timers: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      deadLetters: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      suspended: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      control: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      history: ['PutItem', 'DeleteItem', 'ConditionCheckItem'],
    },
    payloads: ['PutObject', 'GetObject'],
    queues: ['SendMessage'],
  },
};

/** An executor's permissions, without those that only its event source mapping needs, and with the renewal of slots. */
export const OUTSIDE_WORKER: Permissions = {
  ...mergePermissions(PERMISSIONS.executor, { tables: { control: ['PartiQLUpdate'] } }),
  ownQueues: ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'],
};

/** Merges permissions; each action appears once, in the order of its first use. */
export function mergePermissions(...parts: readonly Permissions[]): Permissions {
  const united = <Value extends string>(lists: readonly (readonly Value[] | undefined)[]): readonly Value[] => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ];
  const byTable = <Value extends string>(field: 'tables' | 'indexes'): Partial<Record<TableName, readonly Value[]>> => {
    const names = united(parts.map((part) => Object.keys(part[field] ?? {}) as TableName[]));
    return Object.fromEntries(
      names.map((name) => [name, united(parts.map((part) => part[field]?.[name] as readonly Value[] | undefined))]),
    );
  };
  const queueActions = (field: 'queues' | 'ownQueues' | 'ownDeadLetterQueues' | 'deadLetterQueues'): readonly QueueAction[] =>
    united(parts.map((part) => part[field]));
  return {
    tables: byTable<TableAction>('tables'),
    indexes: byTable<string>('indexes'),
    queues: queueActions('queues'),
    ownQueues: queueActions('ownQueues'),
    ownDeadLetterQueues: queueActions('ownDeadLetterQueues'),
    deadLetterQueues: queueActions('deadLetterQueues'),
    payloads: united(parts.map((part) => part.payloads)),
    payloadBucket: united(parts.map((part) => part.payloadBucket)),
    eventBus: united(parts.map((part) => part.eventBus)),
    stack: united(parts.map((part) => part.stack)),
  };
}
