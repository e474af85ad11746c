import type { RowKey } from '../../shared/ports/tables.ts';
import { decodeMarked, encodeMarked } from '../marked-cursor.ts';
import type { Plan } from './plan.ts';

/**
 * Where a pass continues: the place, and the row after which, or at which. A scan continues at the next row, which was not acted on yet: DynamoDB
 * finds its way from a row that is gone as well, but emulators may not.
 */
export interface Position {
  readonly place: string;
  readonly after?: RowKey;
  readonly at?: RowKey;
}

/** Encodes a position. */
export function encodePosition(plan: Plan, { place, after, at }: Position): string {
  const key = at === undefined ? (after === undefined ? [] : [after]) : [at, 'at'];
  return encodeMarked(plan.mark, place, ...key);
}

/** Reads a position back. Throws InvalidInputError for what is none, or another filter's. */
export function decodePosition(plan: Plan, cursor: unknown): Position {
  return decodeMarked(plan.mark, cursor, (place, key, how) => {
    const known = plan.places.find(({ name }) => name === place);
    if (known === undefined || (key !== undefined && !isKey(key))) return undefined;
    if (key === undefined) return { place: known.name };
    return how === 'at' && known.read === 'scan' ? { place: known.name, at: key } : { place: known.name, after: key };
  });
}

function isKey(value: unknown): value is RowKey {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const texts = Object.values(value);
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '');
}
