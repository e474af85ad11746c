import type { Scalar } from '../../../../shared/job/job.ts';
import type { Row, RowKey } from '../../../../shared/ports/tables.ts';
import { InvalidRequestError } from './invalid-request.ts';

/** An item, or a part of one, as it stands in JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** A value as JSON on the wire holds it; rows have texts, numbers and booleans only. */
export function scalarOf(attribute: unknown): Scalar {
  const [[type, value] = [], ...more] = Object.entries((attribute ?? {}) as Record<string, unknown>);
  if (more.length === 0) {
    if (type === 'S' && typeof value === 'string') return value;
    if (type === 'BOOL' && typeof value === 'boolean') return value;
    // Digits as JavaScript writes them.
    if (type === 'N' && typeof value === 'string' && Number.isFinite(Number(value)) && value.trim() !== '') return Number(value);
  }
  throw new InvalidRequestError(`${JSON.stringify(attribute)} is no text, number or boolean`);
}

export function rowOf(item: unknown): Row {
  if (typeof item !== 'object' || item === null) throw new InvalidRequestError('there is no item');
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, scalarOf(value)]));
}

/** A key: whether it has the attributes that its table demands is the store's affair. */
export function keyOfItem(item: unknown): RowKey {
  return rowOf(item) as RowKey;
}
