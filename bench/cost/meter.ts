import type { BatchExecuteStatementInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';

/** Everything since the last `reset`. */
export interface Meter {
  /** Write units by table, as the store reports them. */
  readonly writes: Readonly<Record<TableName, number>>;
  /** SQS requests by operation: sends of the product, receives that brought messages and deletes of the event source. */
  readonly requests: Readonly<Record<string, number>>;
  reset(): void;
}

/** A meter with the inlets that the adapters feed. */
export type CountingMeter = Meter & {
  readonly count: (operation: string) => void;
  readonly consumed: (what: { readonly table: string; readonly units: number; readonly kind: 'read' | 'write' }) => void;
};

/** A meter at zero for tables with these physical names. */
export function meterOf(names: Readonly<Record<TableName, string>>): CountingMeter {
  const byPhysicalName = new Map(Object.entries(names).map(([name, physical]) => [physical, name as TableName]));
  const zero = (): Record<TableName, number> => Object.fromEntries(TABLE_NAMES.map((name) => [name, 0])) as Record<TableName, number>;
  let writes = zero();
  let requests: Record<string, number> = {};
  return {
    get writes() {
      return writes;
    },
    get requests() {
      return requests;
    },
    reset() {
      writes = zero();
      requests = {};
    },
    count: (operation) => void (requests[operation] = (requests[operation] ?? 0) + 1),
    consumed: ({ table, units, kind }) => {
      const name = byPhysicalName.get(table);
      if (kind === 'write' && name !== undefined) writes[name] += units;
    },
  };
}

/** Counts requests. A receive that brought nothing is the price of an idle queue, not of a job. */
export function countRequests(sqs: SQSClient, count: (operation: string) => void): void {
  sqs.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = String((context as { commandName?: string }).commandName);
      if (operation !== 'ReceiveMessageCommand') {
        count(operation);
        return next(args);
      }
      const result = await next(args);
      if (((result.output as { Messages?: unknown[] }).Messages?.length ?? 0) > 0) count(operation);
      return result;
    },
    { step: 'finalizeRequest', name: 'countRequests' },
  );
}

/** Counts each statement of a batch as one write unit, for a store that does not report what they consumed. Rows are smaller than 1 KB. */
export function countStatements(dynamo: DynamoDBClient, consumed: CountingMeter['consumed']): void {
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      if ((context as { commandName?: string }).commandName !== 'BatchExecuteStatementCommand') return result;
      if ((result.output as { ConsumedCapacity?: unknown }).ConsumedCapacity !== undefined) return result;
      for (const { Statement = '' } of (args.input as BatchExecuteStatementInput).Statements ?? []) {
        consumed({ table: /"([^"]+)"/.exec(Statement)?.[1] ?? '', units: 1, kind: 'write' });
      }
      return result;
    },
    { step: 'initialize', name: 'countStatements' },
  );
}
