import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StoreRefusedError } from '../../job/errors.ts';
import type { Scalar } from '../../job/job.ts';
import type { Row } from '../../ports/tables.ts';

/** An item as the SDK takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** One value as DynamoDB stores it. Throws StoreRefusedError for what is no text, finite number or boolean. */
export function toAttribute(value: Scalar, name: string): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  throw new StoreRefusedError(
    'marshal',
    new TypeError(`attribute ${name} holds ${String(value)}, which is not a string, finite number or boolean`),
  );
}

/** A row as DynamoDB stores it. */
export function toItem(row: Row): Item {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toAttribute(value, name)]));
}

/** A stored item as a row. What an operator or another program put there and no row holds (a map, a list, null) becomes JSON text. */
export function toRow(item: Item): Row {
  const row: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries<AttributeValue | undefined>(item)) {
    // The SDK reads an attribute named __proto__ as undefined.
    if (value !== undefined) row[name] = toScalar(value);
  }
  return row;
}

function toScalar(value: AttributeValue): Scalar {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  return JSON.stringify(plain(value));
}

function plain(value: AttributeValue): unknown {
  if (value.M !== undefined) return Object.fromEntries(Object.entries(value.M).map(([name, inner]) => [name, plain(inner)]));
  if (value.L !== undefined) return value.L.map(plain);
  if (value.NS !== undefined) return value.NS.map(Number);
  if (value.SS !== undefined) return value.SS;
  if (value.B !== undefined) return Buffer.from(value.B).toString('base64');
  if (value.BS !== undefined) return value.BS.map((bytes) => Buffer.from(bytes).toString('base64'));
  if (value.NULL !== undefined) return null;
  return toScalar(value);
}
