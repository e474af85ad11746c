import type { TableName } from './tables.ts';

/** Key attributes of a table or index, all of them strings. */
export interface KeySpec {
  readonly partition: string;
  readonly sort?: string;
}

/** A secondary index; `projects` names the attributes that a list shows. */
export interface IndexSpec extends KeySpec {
  readonly projects: readonly string[];
}

/** One table, as infra, the local region, the in-memory store and the tests create it. */
export interface TableSpec extends KeySpec {
  readonly name: TableName;
  readonly indexes: Readonly<Record<string, IndexSpec>>;
  /** TTL attribute, in epoch seconds. It only cleans up: expiry is always judged by comparing instants. */
  readonly ttl?: string;
}

// DynamoDB takes at most 20 columns for an index, and CloudFormation no change of them: keys are projected anyway.
const LIST_COLUMNS = [
  'type',
  'worker',
  'lane',
  'priority',
  'group',
  'tenant',
  'correlationId',
  'batch',
  'schedule',
  'dueAt',
  'createdAt',
  'starts',
  'failures',
  'crashes',
  'rev',
  'reason',
  'errorName',
  'errorMessage',
] as const;
const DEAD_COLUMNS = [...LIST_COLUMNS, 'fingerprint', 'requestId'] as const;

/** The six tables. All are on-demand, encrypted, with point-in-time recovery and deletion protection. */
export const TABLE_SPECS: Readonly<Record<TableName, TableSpec>> = {
  jobs: { name: 'jobs', partition: 'id', indexes: {} },
  timers: { name: 'timers', partition: 'shard', sort: 'due', indexes: {} },
  deadLetters: {
    name: 'deadLetters',
    partition: 'id',
    indexes: {
      byType: { partition: 'typeLeaf', sort: 'failedAt', projects: DEAD_COLUMNS },
      byFingerprint: { partition: 'fingerprintLeaf', sort: 'failedAt', projects: DEAD_COLUMNS },
    },
  },
  suspended: {
    name: 'suspended',
    partition: 'id',
    indexes: {
      byCause: { partition: 'causeLeaf', sort: 'suspendedAt', projects: [...LIST_COLUMNS, 'cause', 'tryAt'] },
    },
  },
  control: { name: 'control', partition: 'pk', sort: 'sk', indexes: {}, ttl: 'expiresAt' },
  history: { name: 'history', partition: 'day', sort: 'id', indexes: {}, ttl: 'expiresAt' },
};

/** All table names, in a fixed order. */
export const TABLE_NAMES = Object.keys(TABLE_SPECS) as readonly TableName[];

/** The key attributes of a row. */
export function keyOf(spec: KeySpec, row: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return {
    [spec.partition]: String(row[spec.partition]),
    ...(spec.sort === undefined ? {} : { [spec.sort]: String(row[spec.sort]) }),
  };
}
