import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { isQueueOwner } from '../../shared/job/lock-owner.ts';
import type { TableName } from '../../shared/ports/tables.ts';

/** What of a row tells where its job is and how it ended. */
export interface PlacedRow {
  readonly id: string;
  readonly lockOwner?: string;
  readonly outcome?: string;
}

const COLUMNS = ['id', 'lockOwner', 'outcome'] as const;

/** All rows of a table, strongly consistent, page by page. */
export async function placedRows(dynamo: DynamoDBClient, TableName: string): Promise<readonly PlacedRow[]> {
  const rows: PlacedRow[] = [];
  const scan = {
    TableName,
    ConsistentRead: true,
    ProjectionExpression: COLUMNS.map((_, index) => `#${index}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(COLUMNS.map((column, index) => [`#${index}`, column])),
  };
  for await (const { Items = [] } of paginateScan({ client: dynamo }, scan)) rows.push(...Items.map(placedRow));
  return rows;
}

function placedRow(item: Record<string, AttributeValue>): PlacedRow {
  return Object.fromEntries(
    COLUMNS.flatMap((column) => (item[column]?.S === undefined ? [] : [[column, item[column].S]])),
  ) as unknown as PlacedRow;
}

/** How many jobs are in each state that has a row. */
export interface StateCounts {
  readonly waiting: number;
  readonly ready: number;
  readonly running: number;
  readonly suspended: number;
  readonly dead: number;
}

/** Counts the states by table. Each table is read apart, so the counts may be a moment apart. */
export async function countStates(dynamo: DynamoDBClient, tables: Readonly<Record<TableName, string>>): Promise<StateCounts> {
  const [jobs, timers, suspended, deadLetters] = await Promise.all([
    placedRows(dynamo, tables.jobs),
    placedRows(dynamo, tables.timers),
    placedRows(dynamo, tables.suspended),
    placedRows(dynamo, tables.deadLetters),
  ]);
  const ready = jobs.filter(({ lockOwner = '' }) => isQueueOwner(lockOwner)).length;
  return { waiting: timers.length, ready, running: jobs.length - ready, suspended: suspended.length, dead: deadLetters.length };
}
