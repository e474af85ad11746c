import type { ConditionCheck, Delete, Put, TransactWriteItem, Update } from '@aws-sdk/client-dynamodb';
import type { TableName, Write } from '../ports/tables.ts';
import { Expressions } from './expression.ts';
import { toItem } from './marshal.ts';

/** Physical names of the tables. */
export type TableNames = Readonly<Record<TableName, string>>;

type WriteOf<Op extends Write['op']> = Extract<Write, { readonly op: Op }>;
type Conditional = Pick<
  Update,
  'TableName' | 'ConditionExpression' | 'ReturnValuesOnConditionCheckFailure' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Input of a put, alone or in a transaction. */
export function putInput(write: WriteOf<'put'>, names: TableNames): Put {
  return { ...conditional(write, names), Item: toItem(write.row) };
}

/** Input of an update; without an expression it only creates the row, which a transaction refuses. */
export function updateInput(write: WriteOf<'update'>, names: TableNames): Update {
  const expressions = new Expressions();
  const update = expressions.update(write);
  return { ...conditional(write, names, expressions), Key: toItem(write.key), UpdateExpression: update };
}

/** Input of a delete, alone or in a transaction. */
export function deleteInput(write: WriteOf<'delete' | 'check'>, names: TableNames): Delete {
  return { ...conditional(write, names), Key: toItem(write.key) };
}

/** A write as one action of a transaction. */
export function transactItem(write: Write, names: TableNames): TransactWriteItem {
  switch (write.op) {
    case 'put':
      return { Put: putInput(write, names) };
    case 'update':
      return { Update: updateInput(write, names) };
    case 'delete':
      return { Delete: deleteInput(write, names) };
    case 'check': {
      const input = deleteInput(write, names);
      return { ConditionCheck: { ...input, ConditionExpression: input.ConditionExpression } satisfies ConditionCheck };
    }
  }
}

function conditional(write: Write, names: TableNames, expressions = new Expressions()): Conditional {
  const condition = write.condition === undefined ? undefined : expressions.condition(write.condition);
  return {
    TableName: names[write.table],
    ...(condition === undefined ? {} : { ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    ...expressions.parameters(),
  };
}
