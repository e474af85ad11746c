import { Arn, ArnFormat, CfnResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { tableProblems } from './adopted-table-schema.ts';
import type { TablesProps } from './table-props.ts';

/** A table of the CDK: a `TableV2` or `Table`, of this app or imported. */
export type AdoptableTable = Pick<ITable, 'tableName' | 'tableArn' | 'env' | 'node'> & { readonly encryptionKey?: IKey | undefined };

/** Tables that a deployment uses and does not make. */
export type AdoptedTables = { readonly [Name in TableName]?: AdoptableTable };

/** What is checked together: an adopted table has no options of ours. */
export interface TableChoices {
  readonly tables?: AdoptedTables;
  readonly tableProps?: TablesProps;
}

const HOW = "Use TableV2.fromTableName(this, 'RestoredJobs', 'jobs-restored').";

/** Refuses what is no table, or cannot be one of these six. What only the tables of an account show, `nightcrew doctor` checks. */
export function checkAdoptedTables(scope: IConstruct, { tables, tableProps }: TableChoices): void {
  if (tables === undefined) return;
  if (typeof tables !== 'object' || tables === null || Array.isArray(tables)) {
    refuse('tables', `${shownValue(tables)} are no tables. Give them by name: { jobs: TableV2.fromTableName(...) }.`);
  }
  const unknown = Object.keys(tables).find((name) => !(TABLE_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined) refuse(`tables.${unknown}`, `is no table of a deployment. ${knownNames(unknown, TABLE_NAMES)}`);
  const taken = new Map<string, string>();
  for (const [name, table] of adopted(tables)) {
    const field = `tables.${name}`;
    if (!isTable(table)) refuse(field, `${shownValue(table)} is no table. ${HOW}`);
    checkPlace(scope, field, table);
    const physical = JSON.stringify(Stack.of(scope).resolve(table.tableName));
    const other = taken.get(physical);
    if (other !== undefined) refuse(field, `${physical} is table ${other} already. Each of the six is a table of its own.`);
    taken.set(physical, name);
    if (tableProps?.[name] !== undefined) {
      refuse(
        `tableProps.${name}`,
        `table ${name} is adopted (tables.${name}), and its options are set where it is made. Leave them out here.`,
      );
    }
  }
  watchSchemas(scope, tables);
}

/** The tables that were given, by their names. */
export function adopted(tables: AdoptedTables = {}): readonly (readonly [TableName, AdoptableTable])[] {
  return (Object.entries(tables) as [TableName, AdoptableTable | undefined][]).flatMap(([name, table]) =>
    table === undefined ? [] : [[name, table] as const],
  );
}

function isTable(table: Partial<AdoptableTable> | null): table is AdoptableTable {
  return typeof table?.tableName === 'string' && typeof table.tableArn === 'string';
}

/** A transaction holds rows of several tables, and DynamoDB takes none across accounts or Regions. */
function checkPlace(scope: IConstruct, field: string, { tableName, tableArn, env }: AdoptableTable): void {
  const { account, region } = Stack.of(scope);
  // An imported table has the environment of the stack that imports it, whatever its ARN says.
  const own = Token.isUnresolved(tableArn) ? env : Arn.split(tableArn, ArnFormat.SLASH_RESOURCE_NAME);
  const places = [
    ['Region', own.region ?? region, region],
    ['account', own.account ?? account, account],
  ] as const;
  for (const [what, its, ours] of places) {
    if (Token.compareStrings(its, ours) !== TokenComparison.DIFFERENT) continue;
    refuse(
      field,
      `${tableName} is in ${what} ${its}, and this stack in ${ours}: no transaction reaches both. Copy the table, or deploy the stack there.`,
    );
  }
}

/** Tables of this app show their keys and indexes when everything about them has been said. */
function watchSchemas(scope: IConstruct, tables: AdoptedTables): void {
  scope.node.addValidation({
    validate: () =>
      adopted(tables).flatMap(([name, table]) => {
        const resource = table.node.defaultChild;
        if (resource === undefined || !CfnResource.isCfnResource(resource)) return [];
        return tableProblems(name, resource).map((problem) => `tables.${name}: ${table.node.path} ${problem}`);
      }),
  });
}
