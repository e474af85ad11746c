import { InvalidInputError } from '../shared/job/errors.ts';

/** Encodes where a list continues. Contains the mark of its filter, because it is meaningless with another one. */
export function encodeMarked(mark: string, ...place: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([mark, ...place])).toString('base64url');
}

/** Reads it back by `read`, which answers undefined for what is no place. Throws InvalidInputError for that, and for another filter's. */
export function decodeMarked<Place>(mark: string, text: unknown, read: (...place: readonly unknown[]) => Place | undefined): Place {
  const [of, ...place] = parsed(text);
  const found = of === mark ? read(...place) : undefined;
  if (found !== undefined) return found;
  throw new InvalidInputError('after', text, 'Give the `next` of an earlier page of the same filter, unchanged.');
}

function parsed(text: unknown): readonly unknown[] {
  if (typeof text !== 'string') return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
