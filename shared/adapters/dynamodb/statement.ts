import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Scalar } from '../../job/job.ts';
import type { Condition, SingleWrite } from '../../ports/tables.ts';
import { holdsWithoutRow } from './expression.ts';
import { toAttribute } from './marshal.ts';
import type { TableNames } from './write-input.ts';

/** A write as a statement of PartiQL. The text holds names only, so writes of the same form have the same text. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly AttributeValue[];
}

/** A write that may be a statement: it changes or deletes a row that is there, or nothing. */
export type StatedWrite = Exclude<SingleWrite, { readonly op: 'put' }> & { readonly condition: Condition };

/** DynamoDB takes no longer text: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementRequest.html */
const LONGEST_TEXT = 8_192;

/**
 * Whether a statement says the same as the write. UPDATE never creates a row and DELETE succeeds without one, so the condition must
 * demand a row. `SET n = n + ?` demands an attribute that is there, unlike ADD: the rows of Jobs have all their counters, others begin without.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.SET.IncrementAndDecrement
 */
export function canBeStated(write: SingleWrite): write is StatedWrite {
  if (write.op === 'put' || write.condition === undefined || holdsWithoutRow(write.condition)) return false;
  return write.op === 'delete' || write.add === undefined || write.table === 'jobs';
}

/**
 * The statement of a write; undefined where there is none: a text that is too long, or a write that DynamoDB refuses anyway, which is
 * refused when it is made by itself.
 */
export function statementOf(write: StatedWrite, names: TableNames): Statement | undefined {
  const parameters: AttributeValue[] = [];
  const value = (scalar: Scalar, name: string): string => {
    parameters.push(toAttribute(scalar, name));
    return '?';
  };
  const changes = write.op === 'update' ? changesOf(write, value) : [];
  if (changes === undefined || !isSound(write.condition)) return undefined;
  const table = quoted(names[write.table]);
  const key = Object.entries(write.key).map(([name, text]) => `${quoted(name)}=${value(text, name)}`);
  const where = [...key, conditionText(write.condition, value)].join(' AND ');
  const text =
    write.op === 'update'
      ? `UPDATE ${table} ${changes.join(' ')} WHERE ${where} RETURNING ALL NEW *`
      : `DELETE FROM ${table} WHERE ${where} RETURNING ALL OLD *`;
  return text.length < LONGEST_TEXT ? { text, parameters } : undefined;
}

type Value = (scalar: Scalar, name: string) => string;

function changesOf(
  { key, set, remove = [], add = {} }: StatedWrite & { readonly op: 'update' },
  value: Value,
): readonly string[] | undefined {
  const changed = [...Object.keys(set), ...Object.keys(add), ...remove];
  if (changed.length === 0 || new Set(changed).size < changed.length || changed.some((name) => name in key)) return undefined;
  return [
    ...Object.entries(set).map(([name, to]) => `SET ${quoted(name)}=${value(to, name)}`),
    ...Object.entries(add).map(([name, by]) => `SET ${quoted(name)}=${quoted(name)}+${value(by, name)}`),
    ...remove.map((name) => `REMOVE ${quoted(name)}`),
  ];
}

/** Whether DynamoDB takes the condition: its parts are not empty, and compare what can be compared so. */
function isSound(condition: Condition): boolean {
  switch (condition.test) {
    case 'all':
    case 'any':
      return condition.of.length > 0 && condition.of.every(isSound);
    case 'beginsWith':
      return typeof condition.value === 'string';
    case 'atMost':
      return typeof condition.value !== 'boolean';
    default:
      return true;
  }
}

function conditionText(condition: Condition, value: Value): string {
  switch (condition.test) {
    case 'absent':
      return `${quoted(condition.attribute)} IS MISSING`;
    case 'present':
      return `${quoted(condition.attribute)} IS NOT MISSING`;
    case 'equals':
      return `${quoted(condition.attribute)}=${value(condition.value, condition.attribute)}`;
    case 'beginsWith':
      return `begins_with(${quoted(condition.attribute)},${value(condition.value, condition.attribute)})`;
    case 'atMost':
      return `${quoted(condition.attribute)}<=${value(condition.value, condition.attribute)}`;
    case 'all':
    case 'any': {
      const parts = condition.of.map((one) => conditionText(one, value));
      return parts.length === 1 ? (parts[0] as string) : `(${parts.join(condition.test === 'all' ? ' AND ' : ' OR ')})`;
    }
  }
}

/** A name as PartiQL takes it, whatever it holds. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
