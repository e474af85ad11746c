import type { ConditionCheck, Delete, Put, TransactWriteItem, Update } from '@aws-sdk/client-dynamodb';
import { StoreRefusedError } from '../../job/errors.ts';
import type { TableName, Write } from '../../ports/tables.ts';
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
  const touched = [...Object.keys(write.set), ...(write.remove ?? []), ...Object.keys(write.add ?? {})];
  const key = touched.find((name) => name in write.key);
  if (key !== undefined) throw refused(`key attribute ${key} cannot be changed`);
  const expressions = new Expressions();
  const update = expressions.update(write);
  return { ...conditional(write, names, expressions), Key: toItem(write.key), UpdateExpression: update };
}

/** Input of a delete, alone or in a transaction. */
export function deleteInput(write: WriteOf<'delete' | 'check'>, names: TableNames): Delete {
  return { ...conditional(write, names), Key: toItem(write.key) };
}

/** A write as one action of a transaction. Throws StoreRefusedError for an empty update or check. */
export function transactItem(write: Write, names: TableNames): TransactWriteItem {
  switch (write.op) {
    case 'put':
      return { Put: putInput(write, names) };
    case 'update': {
      const input = updateInput(write, names);
      if (input.UpdateExpression === undefined) throw refused('an update changes nothing');
      return { Update: input };
    }
    case 'delete':
      return { Delete: deleteInput(write, names) };
    case 'check': {
      const input = deleteInput(write, names);
      if (input.ConditionExpression === undefined) throw refused('a check has no condition');
      return { ConditionCheck: { ...input, ConditionExpression: input.ConditionExpression } satisfies ConditionCheck };
    }
  }
}

// Not left to DynamoDB: some emulators let it pass.
const refused = (why: string): StoreRefusedError => new StoreRefusedError('write', new TypeError(why));

function conditional(write: Write, names: TableNames, expressions = new Expressions()): Conditional {
  const condition = write.condition === undefined ? undefined : expressions.condition(write.condition);
  return {
    TableName: names[write.table],
    ...(condition === undefined ? {} : { ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    ...expressions.parameters(),
  };
}
