import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { defined } from '../shared/core/defined.ts';
import { type KeySpec, TABLE_NAMES, TABLE_SPECS, type TableSpec } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';

/** The six tables of a deployment. */
export type Tables = Readonly<Record<TableName, TableV2>>;

/** What of the tables a deployment chooses. */
export interface TablesOptions {
  /** RETAIN keeps the tables when the stack is deleted and protects them from deletion; anything else lifts the protection. */
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** Construct ids are part of the logical ids, which must not change: a table with another logical id is another table. */
const CONSTRUCT_IDS: Readonly<Record<TableName, string>> = {
  jobs: 'Jobs',
  timers: 'Timers',
  deadLetters: 'DeadLetters',
  suspended: 'Suspended',
  control: 'Control',
  history: 'History',
};

/** Creates the tables from the same spec that the local region and the tests use. */
export function createTables(scope: Construct, options: TablesOptions): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, createTable(scope, TABLE_SPECS[name], options)])) as Record<
    TableName,
    TableV2
  >;
}

function createTable(scope: Construct, spec: TableSpec, { removalPolicy, encryptionKey }: TablesOptions): TableV2 {
  return new TableV2(scope, CONSTRUCT_IDS[spec.name], {
    ...keys(spec),
    billing: Billing.onDemand(),
    encryption: encryptionKey === undefined ? TableEncryptionV2.dynamoOwnedKey() : TableEncryptionV2.customerManagedKey(encryptionKey),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
    globalSecondaryIndexes: Object.entries(spec.indexes).map(([indexName, index]) => ({
      indexName,
      ...keys(index),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...index.projects],
    })),
    ...defined({ timeToLiveAttribute: spec.ttl }),
  });
}

function keys({ partition, sort }: KeySpec) {
  return {
    partitionKey: { name: partition, type: AttributeType.STRING },
    ...(sort === undefined ? {} : { sortKey: { name: sort, type: AttributeType.STRING } }),
  };
}
