import { CfnDeletionPolicy, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  type ITable,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import { defined } from '../shared/job/defined.ts';
import { type KeySpec, TABLE_NAMES, TABLE_SPECS, type TableSpec } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import type { AdoptedTables } from './adopted-tables.ts';
import type { TableProps, TablesProps } from './table-props.ts';

/** The six tables of a deployment, made by it or adopted. */
export type Tables = Readonly<Record<TableName, ITable>>;

/** A deployment's options of the tables. */
export interface TablesOptions {
  /** Where a table has none of its own. */
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
  readonly props?: TablesProps;
  /** Tables that are not made. */
  readonly tables?: AdoptedTables;
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

/** Creates the tables that are not adopted, from the same spec that the local region and the tests use. */
export function createTables(scope: Construct, { removalPolicy, encryptionKey, props = {}, tables = {} }: TablesOptions): Tables {
  const all = TABLE_NAMES.map((name) => {
    const own = { removalPolicy, ...props, ...props[name], encryption: encryptionOf(encryptionKey) };
    return [name, tables[name] ?? createTable(scope, TABLE_SPECS[name], own)] as const;
  });
  return Object.fromEntries(all) as Record<TableName, ITable>;
}

interface TableOptions extends TableProps {
  readonly removalPolicy: RemovalPolicy;
  readonly encryption: TableEncryptionV2;
}

function createTable(scope: Construct, spec: TableSpec, options: TableOptions): TableV2 {
  const { removalPolicy, encryption, warmThroughput, maxReadRequestUnits, maxWriteRequestUnits, recoveryPeriodInDays } = options;
  const { deletionProtection = removalPolicy !== RemovalPolicy.DESTROY } = options;
  // Before anything is deleted: otherwise `cdk destroy` would stop halfway, at the tables.
  if (deletionProtection && removalPolicy === RemovalPolicy.DESTROY) {
    refuse(`tableProps.deletionProtection`, `true contradicts removalPolicy DESTROY of table ${spec.name}. ${ONE_OF_THEM}`);
  }
  const table = new TableV2(scope, CONSTRUCT_IDS[spec.name], {
    ...keys(spec),
    billing: Billing.onDemand(defined({ maxReadRequestUnits, maxWriteRequestUnits })),
    encryption,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, ...defined({ recoveryPeriodInDays }) },
    deletionProtection,
    removalPolicy,
    globalSecondaryIndexes: Object.entries(spec.indexes).map(([indexName, index]) => ({
      indexName,
      ...keys(index),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...index.projects],
      // A throttled index throttles its table, and bounds are not inherited.
      ...defined({ warmThroughput, maxReadRequestUnits, maxWriteRequestUnits }),
    })),
    ...defined({ timeToLiveAttribute: spec.ttl, warmThroughput }),
  });
  watchRemoval(table, deletionProtection);
  return table;
}

const ONE_OF_THEM = 'Use RETAIN to keep the tables, or deletionProtection: false to delete them with the stack.';

/** Fails the synthesis when something else than our props, such as `RemovalPolicies.of(stack).destroy()`, lets a protected table be deleted. */
function watchRemoval(table: TableV2, deletionProtection: boolean): void {
  const resource = table.node.defaultChild as CfnGlobalTable;
  table.node.addValidation({
    validate: () => {
      if (!deletionProtection || resource.cfnOptions.deletionPolicy !== CfnDeletionPolicy.DELETE) return [];
      return [
        `removalPolicy: table ${table.node.path} is to be deleted with the stack, but is protected from deletion, so that \`cdk destroy\` ` +
          'would fail. Say removalPolicy: RemovalPolicy.DESTROY to the JobExecutor, which also lifts the protection.',
      ];
    },
  });
}

function encryptionOf(key: IKey | undefined): TableEncryptionV2 {
  return key === undefined ? TableEncryptionV2.dynamoOwnedKey() : TableEncryptionV2.customerManagedKey(key);
}

function keys({ partition, sort }: KeySpec) {
  return {
    partitionKey: { name: partition, type: AttributeType.STRING },
    ...(sort === undefined ? {} : { sortKey: { name: sort, type: AttributeType.STRING } }),
  };
}
