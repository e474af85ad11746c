import type { TableName } from '../shared/ports/tables.ts';

/** What may be done to a table. A transaction has no action of its own: DynamoDB checks the action of each of its items. */
export type TableAction =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem'
  | 'Query'
  | 'Scan'
  | (typeof CHECKUP)[number];

/** How a table is set up, which `nightcrew doctor` looks at; none of them reads a row. */
const CHECKUP = ['DescribeTable', 'DescribeTimeToLive', 'DescribeContinuousBackups'] as const;

/** What may be done to a queue. */
export type QueueAction = 'SendMessage' | 'ReceiveMessage' | 'DeleteMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes';

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
  /** The one event bus that a deployment names, if it does. */
  readonly eventBus?: readonly 'PutEvents'[];
  /** The stack of the deployment, whose output says where everything is. */
  readonly stack?: readonly 'DescribeStacks'[];
}

/** A function of the deployment, or a kind of grant to somebody else's. An executor has `enqueue` besides its own. */
export type Role = 'executor' | 'acquirer' | 'sweeper' | 'enqueue' | 'cancel' | 'read' | 'operate';

/** The exact permissions, as data, so that a test can hold them against what the code calls. */
export const PERMISSIONS: Readonly<Record<Role, Permissions>> = {
  executor: {
    tables: {
      jobs: ['GetItem', 'UpdateItem', 'DeleteItem', 'PutItem'],
      timers: ['PutItem', 'GetItem', 'Query', 'DeleteItem'],
      deadLetters: ['PutItem', 'GetItem'],
      suspended: ['PutItem', 'GetItem'],
      control: ['PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'GetItem', 'ConditionCheckItem'],
      history: ['PutItem', 'BatchWriteItem', 'GetItem'],
    },
    eventBus: ['PutEvents'],
    queues: ['SendMessage'],
    // The event source mapping receives, deletes and asks for attributes with the function's role.
    ownQueues: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'],
    ownDeadLetterQueues: ['SendMessage'],
  },
  acquirer: {
    tables: {
      jobs: ['PutItem', 'GetItem', 'DeleteItem'],
      timers: ['Query', 'DeleteItem', 'GetItem', 'PutItem'],
      deadLetters: ['PutItem', 'GetItem'],
      control: ['PutItem', 'DeleteItem', 'GetItem', 'UpdateItem', 'Query'],
      suspended: ['GetItem'],
      history: ['GetItem'],
    },
    eventBus: ['PutEvents'],
    queues: ['SendMessage'],
  },
  sweeper: {
    tables: {
      jobs: ['Scan', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      timers: ['PutItem', 'GetItem'],
      deadLetters: ['PutItem', 'GetItem'],
      suspended: ['GetItem', 'DeleteItem'],
      control: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'ConditionCheckItem'],
      history: ['PutItem', 'GetItem'],
    },
    eventBus: ['PutEvents'],
    indexes: { suspended: ['byCause'], deadLetters: ['byFingerprint'] },
    queues: ['SendMessage', 'GetQueueAttributes'],
  },
  enqueue: {
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
  /** Comes on top of `enqueue`: cancel and reschedule. */
  cancel: {
    tables: {
      jobs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      timers: ['GetItem', 'PutItem', 'DeleteItem'],
      suspended: ['GetItem', 'DeleteItem'],
      control: ['GetItem', 'PutItem', 'DeleteItem'],
      history: ['PutItem'],
    },
    queues: ['SendMessage'],
  },
  read: {
    tables: {
      jobs: ['GetItem', 'Scan', ...CHECKUP],
      timers: ['GetItem', 'Query', 'Scan', ...CHECKUP],
      deadLetters: ['GetItem', 'Scan', ...CHECKUP],
      suspended: ['GetItem', 'Scan', ...CHECKUP],
      control: ['GetItem', 'Query', ...CHECKUP],
      history: ['GetItem', 'Query', 'Scan', ...CHECKUP],
    },
    indexes: { deadLetters: ['byType', 'byFingerprint'], suspended: ['byCause'] },
    queues: ['GetQueueAttributes'],
    deadLetterQueues: ['GetQueueAttributes'],
    stack: ['DescribeStacks'],
  },
  /** Comes on top of `read`: redrive, delete, suspend, activate, edit, bury, cancel, one by one and in bulk. */
  operate: {
    tables: {
      jobs: ['PutItem', 'UpdateItem', 'DeleteItem'],
      timers: ['PutItem', 'UpdateItem', 'DeleteItem'],
      deadLetters: ['PutItem', 'UpdateItem', 'DeleteItem'],
      suspended: ['PutItem', 'UpdateItem', 'DeleteItem'],
      control: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
      history: ['PutItem'],
    },
    queues: ['SendMessage'],
  },
};

/** Unites permissions; an action stands once, in the order in which it was first named. */
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
    eventBus: united(parts.map((part) => part.eventBus)),
    stack: united(parts.map((part) => part.stack)),
  };
}
