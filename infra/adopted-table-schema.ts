import { type CfnResource, Stack } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { type KeySpec, TABLE_SPECS } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { NO_REPLICAS } from './table-props.ts';

interface KeyAttribute {
  readonly attributeName: string;
  readonly keyType: string;
}

/** A table of the app, as far as its template shows it. */
interface Schema {
  readonly keySchema?: readonly KeyAttribute[];
  readonly globalSecondaryIndexes?: readonly { readonly indexName: string; readonly keySchema?: readonly KeyAttribute[] }[];
  readonly timeToLiveSpecification?: { readonly attributeName?: string; readonly enabled?: boolean };
  readonly replicas?: readonly unknown[];
}

/** What keeps a table that this app makes from being the one of that name; none for other resources. */
export function tableProblems(name: TableName, resource: CfnResource): readonly string[] {
  if (!CfnTable.isCfnTable(resource) && !CfnGlobalTable.isCfnGlobalTable(resource)) return [];
  const spec = TABLE_SPECS[name];
  const { keySchema, globalSecondaryIndexes = [], timeToLiveSpecification, replicas = [] } = schemaOf(resource);
  const indexes = new Map(globalSecondaryIndexes.map((index) => [index.indexName, shownKey(index.keySchema)]));
  const wrongIndexes = Object.entries(spec.indexes).filter(([index, key]) => indexes.get(index) !== keyText(key));
  const { attributeName, enabled = false } = timeToLiveSpecification ?? {};
  return [
    ...(shownKey(keySchema) === keyText(spec) ? [] : [`has the key ${shownKey(keySchema)}. Give it the key ${keyText(spec)}.`]),
    ...wrongIndexes.map(
      ([index, key]) => `lacks the index ${index}. Add a global secondary index of that name with the key ${keyText(key)}.`,
    ),
    ...(spec.ttl === undefined || (enabled && attributeName === spec.ttl)
      ? []
      : [`keeps rows forever. Set timeToLiveAttribute: '${spec.ttl}'.`]),
    ...(replicas.length > 1 ? [`has replicas: ${NO_REPLICAS}`] : []),
  ];
}

function schemaOf(resource: CfnTable | CfnGlobalTable): Schema {
  const { keySchema, globalSecondaryIndexes, timeToLiveSpecification } = resource;
  const replicas = CfnGlobalTable.isCfnGlobalTable(resource) ? resource.replicas : undefined;
  return Stack.of(resource).resolve({ keySchema, globalSecondaryIndexes, timeToLiveSpecification, replicas }) as Schema;
}

function keyText({ partition, sort }: KeySpec): string {
  return sort === undefined ? partition : `${partition}, ${sort}`;
}

/** The partition key comes first, however the template has them. */
function shownKey(key: readonly KeyAttribute[] = []): string {
  return key
    .toSorted((one, other) => one.keyType.localeCompare(other.keyType))
    .map(({ attributeName }) => attributeName)
    .join(', ');
}
