import type { Condition, Write } from '../../../../shared/ports/tables.ts';
import { keyOfItem, rowOf } from './attributes.ts';
import { ExpressionReader } from './expressions.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { type Body, expectFields, tableOf } from './request-body.ts';

/** A write and what its answer has to hold. */
export interface ShownWrite<Of extends Write> {
  readonly write: Of;
  /** Whether the row that makes the condition fail is sent along. */
  readonly showsFailure: boolean;
  /** The row that is sent along after a success. */
  readonly shows: 'NONE' | 'ALL_OLD' | 'ALL_NEW';
}

const CONDITION = ['ConditionExpression', 'ReturnValuesOnConditionCheckFailure', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];

/** Reads one item of a transaction. */
export function actionOf(item: Body): ShownWrite<Write> {
  const [[kind, action] = [], ...more] = Object.entries(item);
  if (more.length > 0) throw new InvalidRequestError('an item is one action');
  const body = action as Body;
  switch (kind) {
    case 'Put':
      return putOf(body);
    case 'Update': {
      if (body['UpdateExpression'] === undefined) throw new InvalidRequestError('an update of a transaction changes something');
      return updateOf(body, []);
    }
    case 'Delete':
      return keyedOf('delete', body, []);
    case 'ConditionCheck': {
      if (body['ConditionExpression'] === undefined) throw new InvalidRequestError('a check has a condition');
      return keyedOf('check', body, []);
    }
    default:
      throw new InvalidRequestError(`${kind} is no action`);
  }
}

/** Reads a put, alone or in a transaction. */
export function putOf(body: Body): ShownWrite<Write & { readonly op: 'put' }> {
  expectFields(body, ['TableName', 'Item', ...CONDITION]);
  const reader = new ExpressionReader(body);
  const shown = shownOf(body, reader);
  reader.end();
  return { ...shown.how, write: { op: 'put', table: tableOf(body), row: rowOf(body['Item']), ...shown.condition } };
}

/** Reads an update; `more` are fields that it may have besides. */
export function updateOf(body: Body, more: readonly string[]): ShownWrite<Write & { readonly op: 'update' }> {
  expectFields(body, ['TableName', 'Key', 'UpdateExpression', ...CONDITION, ...more]);
  const reader = new ExpressionReader(body);
  const { UpdateExpression: text } = body as { readonly UpdateExpression?: string };
  const changes = text === undefined ? { set: {} } : reader.update(text);
  const shown = shownOf(body, reader);
  reader.end();
  return { ...shown.how, write: { op: 'update', table: tableOf(body), key: keyOfItem(body['Key']), ...changes, ...shown.condition } };
}

/** Reads a delete or a check; `more` are fields that it may have besides. */
export function keyedOf(
  op: 'delete' | 'check',
  body: Body,
  more: readonly string[],
): ShownWrite<Write & { readonly op: 'delete' | 'check' }> {
  expectFields(body, ['TableName', 'Key', ...CONDITION, ...more]);
  const reader = new ExpressionReader(body);
  const shown = shownOf(body, reader);
  reader.end();
  return { ...shown.how, write: { op, table: tableOf(body), key: keyOfItem(body['Key']), ...shown.condition } };
}

function shownOf(
  body: Body,
  reader: ExpressionReader,
): { readonly how: Omit<ShownWrite<Write>, 'write'>; readonly condition: { readonly condition?: Condition } } {
  const {
    ConditionExpression: text,
    ReturnValuesOnConditionCheckFailure: onFailure = 'NONE',
    ReturnValues: shows = 'NONE',
  } = body as {
    readonly ConditionExpression?: string;
  } & Body;
  if (onFailure !== 'NONE' && onFailure !== 'ALL_OLD') throw new InvalidRequestError(`${JSON.stringify(onFailure)} after a failure`);
  if (shows !== 'NONE' && shows !== 'ALL_OLD' && shows !== 'ALL_NEW')
    throw new InvalidRequestError(`${JSON.stringify(shows)} is not shown`);
  return {
    how: { showsFailure: onFailure === 'ALL_OLD', shows },
    condition: text === undefined ? {} : { condition: reader.condition(text) },
  };
}
