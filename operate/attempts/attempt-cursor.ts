import type { RowKey } from '../../shared/ports/tables.ts';
import { decodeMarked } from '../marked-cursor.ts';

/** A place in the days of History; without a row, before the first one of the day. */
export interface DayPlace {
  readonly day: string;
  readonly after?: RowKey;
}

/** An attempt in the order of the slowest. */
export interface Slowness {
  readonly runMs: number;
  /** Sort key of its row. */
  readonly id: string;
}

/** Where a list continues. `slowest-first` gives a part of the range in several pages: `end` is where that part ends, `below` what was given. */
export interface AttemptCursor extends DayPlace {
  readonly end?: DayPlace;
  readonly below?: Slowness;
}

/** Reads a cursor back. Throws InvalidInputError for what is none, or another filter's. */
export const decodeCursor = (mark: string, text: unknown): AttemptCursor =>
  decodeMarked(mark, text, (cursor) => (isCursor(cursor) ? cursor : undefined));

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isCursor(value: unknown): value is AttemptCursor {
  if (!isPlace(value)) return false;
  const { end, below } = value as AttemptCursor;
  return (end === undefined || isPlace(end)) && (below === undefined || (Number.isSafeInteger(below.runMs) && isText(below.id)));
}

function isPlace(value: unknown): value is DayPlace {
  if (!isRecord(value) || !DAY.test(String(value['day']))) return false;
  const { after } = value;
  return after === undefined || (isRecord(after) && String(after['day']).startsWith(`${String(value['day'])}#`) && isText(after['id']));
}
