import { InvalidInputError } from '../../core/errors.ts';
import type { RowKey } from '../../ports/tables.ts';
import type { Plan } from './plan.ts';

/**
 * Where a pass goes on: in which place, and behind which row, or at which. A scan goes on at the next row, which was not acted on yet: DynamoDB
 * finds its way from a row that is gone as well, but emulators may not.
 */
export interface Position {
  readonly place: string;
  readonly after?: RowKey;
  readonly at?: RowKey;
}

/** A position as text. It names its filter, because behind another filter it would lie anywhere. */
export function encodePosition(plan: Plan, { place, after, at }: Position): string {
  const key = at === undefined ? (after === undefined ? [] : [after]) : [at, 'at'];
  return Buffer.from(JSON.stringify([plan.mark, place, ...key])).toString('base64url');
}

/** Reads a position back. Throws InvalidInputError for what is none, or another filter's. */
export function decodePosition(plan: Plan, cursor: unknown): Position {
  const [of, place, key, how] = parsed(cursor);
  const known = plan.places.find(({ name }) => name === place);
  if (of === plan.mark && known !== undefined) {
    if (key === undefined) return { place: known.name };
    if (isKey(key)) return how === 'at' && known.read === 'scan' ? { place: known.name, at: key } : { place: known.name, after: key };
  }
  throw new InvalidInputError('after', cursor, 'Give the `next` of an earlier page of the same filter, unchanged.');
}

function parsed(cursor: unknown): readonly unknown[] {
  if (typeof cursor !== 'string') return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isKey(value: unknown): value is RowKey {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const texts = Object.values(value);
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '');
}
