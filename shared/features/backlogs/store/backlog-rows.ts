import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import type { Measurement } from '../model/backlog.ts';

const PARTITION = 'backlog';
const DAY_MS = 86_400_000;
/** How long a type is measured after a client asked last. */
export const ASKED_DAYS = 8;
/** More types would not fit into one filter of the sweeper. Those beyond are not measured, in the order of their names. */
export const MAX_BOUNDED_TYPES = 50;

/** A type with a bound. The clients that enqueue it ask for its measurement, and the sweeper writes it. */
export interface BoundedType {
  readonly type: string;
  /** The bound of the client that asked last. */
  readonly bound: number;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Absent until a pass has counted the type from its beginning. */
  readonly measured?: Measurement;
}

/** Says that there are types with a bound. It lies among the rules, which the sweeper reads anyway: without a bound no run asks for types. */
const MARK: RowKey & { readonly sk: string } = { pk: 'rules', sk: 'backlogs' };

/** Whether a type may have a bound, by the rows among the rules that are no rules. */
export const mayHaveBounds = (others: ReadonlyMap<string, Row>): boolean => others.has(MARK.sk);

const keyOf = (type: string): RowKey => ({ pk: PARTITION, sk: type });

/** Reads the row of one type, eventually consistent: half a read unit. */
export async function readBoundedType(tables: Tables, type: string): Promise<BoundedType | undefined> {
  const { rows } = await tables.query({ table: 'control', partition: PARTITION, from: type, through: type, limit: 1 });
  return rows.flatMap(decode)[0];
}

/** The types for which a client asked within `ASKED_DAYS`. One query; half a read unit if there are few. */
export async function listBoundedTypes(tables: Tables, now: number): Promise<readonly BoundedType[]> {
  const { rows } = await tables.query({ table: 'control', partition: PARTITION, limit: MAX_BOUNDED_TYPES });
  return rows.flatMap(decode).filter(({ askedAt }) => askedAt > now - ASKED_DAYS * DAY_MS);
}

/**
 * Asks for the measurement of a type. Safe to repeat; TTL removes the rows when no client asks any more. The mark comes first: the row of the
 * type says that all is written.
 */
export async function askForMeasurement(tables: Tables, { type, bound, askedAt }: Omit<BoundedType, 'measured'>): Promise<void> {
  const lasts = { askedAt: iso(askedAt), expiresAt: Math.ceil((askedAt + ASKED_DAYS * DAY_MS) / 1000) };
  await tables.write({ op: 'put', table: 'control', row: { ...MARK, ...lasts } });
  await tables.write({ op: 'update', table: 'control', key: keyOf(type), set: { bound, ...lasts } });
}

/** Writes a measurement, unless the row is gone because no client asks for the type any more. */
export async function writeMeasurement(tables: Tables, type: string, { count, from, at }: Measurement): Promise<void> {
  const set = { ready: count, measuredFrom: iso(from), measuredAt: iso(at) };
  await tables.write({ op: 'update', table: 'control', key: keyOf(type), set, condition: { test: 'present', attribute: 'askedAt' } });
}

/** A row that cannot be read is none: a client asks again, which repairs it. */
function decode(row: Row): readonly BoundedType[] {
  const { sk: type, bound } = row;
  const askedAt = storedInstant(row['askedAt']);
  if (typeof type !== 'string' || typeof bound !== 'number' || askedAt === undefined) return [];
  return [{ type, bound, askedAt, ...defined({ measured: decodeMeasurement(row) }) }];
}

function decodeMeasurement({ ready, measuredFrom, measuredAt }: Row): Measurement | undefined {
  const [from, at] = [storedInstant(measuredFrom), storedInstant(measuredAt)];
  return typeof ready === 'number' && from !== undefined && at !== undefined ? { count: ready, from, at } : undefined;
}
