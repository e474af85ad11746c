import { InvalidInputError } from '../core/errors.ts';
import { isQueueOwner } from '../core/lock-owner.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { keyOf, TABLE_SPECS } from '../ports/table-spec.ts';
import type { Condition, Row, RowKey, Tables } from '../ports/tables.ts';
import { decodeJob, decodeLeasedJob, decodeSuspendedJob } from '../store/job-codec.ts';
import { isParked } from '../store/limit-rows.ts';
import type { Located } from '../store/locate.ts';

/** Which jobs are meant: all that have every value given, at least one. */
export interface JobFilter {
  readonly type?: string;
  readonly tenant?: string;
  readonly group?: string;
  readonly batch?: string;
}

/** The tables in which living jobs lie, timers first: a timer that fires during a pass is met again in Jobs. */
const PLACES = ['timers', 'suspended', 'jobs'] as const;
type Place = (typeof PLACES)[number];

/** Where a pass goes on. */
export interface PassCursor {
  readonly table: Place;
  readonly after?: RowKey;
}

/** One page of jobs that match; `next` is absent at the end of the pass. */
export interface MatchingPage {
  readonly rows: readonly { readonly row: Row; readonly cursor: PassCursor }[];
  readonly table: Place;
  readonly next?: PassCursor;
  readonly readUnits: number;
}

const FIELDS = ['type', 'tenant', 'group', 'batch'] as const;

/** Jobs that match and that nobody asked to stop yet. Throws InvalidInputError for a filter that names nothing: it would mean every job. */
export function filterCondition(filter: JobFilter): Condition {
  checkOptions(filter, FIELDS, 'filter');
  const of = FIELDS.flatMap((field): Condition[] => {
    const value = checkText(filter[field], field);
    return value === undefined ? [] : [{ test: 'equals', attribute: field, value }];
  });
  if (of.length === 0) throw new InvalidInputError('filter', '{}', 'Say which jobs: type, tenant, group or batch.');
  return { test: 'all', of: [...of, { test: 'absent', attribute: 'cancelRequested' }] };
}

/** Reads the next page of a pass over every table in which living jobs lie. */
export async function matchingPage(tables: Tables, filter: Condition, at: PassCursor = { table: PLACES[0] }): Promise<MatchingPage> {
  const { table, after } = at;
  const page = await tables.scan({ table, segment: 0, segments: 1, limit: 1_000, filter, ...(after === undefined ? {} : { after }) });
  const following = PLACES[PLACES.indexOf(table) + 1];
  const next = page.cursor !== undefined ? { table, after: page.cursor } : following === undefined ? undefined : { table: following };
  return {
    rows: page.rows.map((row) => ({ row, cursor: { table, after: keyOf(TABLE_SPECS[table], row) } })),
    table,
    ...(next === undefined ? {} : { next }),
    readUnits: page.readUnits,
  };
}

/** A row as `locate` would have found it. Throws RowUnreadableError. */
export function locatedRow(table: Place, row: Row): Located {
  const key = keyOf(TABLE_SPECS[table], row);
  if (table === 'timers') return { state: isParked(key['shard']) ? 'parked' : 'waiting', table, key, job: decodeJob(row) };
  if (table === 'suspended') return { state: 'suspended', table, key, job: decodeSuspendedJob(row) };
  const job = decodeLeasedJob(row);
  return { state: isQueueOwner(job.lockOwner) ? 'ready' : 'running', table, key, job };
}

/** A cursor as text, for whoever goes on later. */
export function encodeCursor(cursor: PassCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads a cursor back; refuses what is none. */
export function decodeCursor(text: string): PassCursor {
  try {
    const { table, after } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PassCursor;
    if (PLACES.includes(table) && after === undefined) return { table };
    const names = Object.keys(keyOf(TABLE_SPECS[table], {}));
    if (Object.keys(after ?? {}).length === names.length && names.every((name) => typeof after?.[name] === 'string' && after[name] !== ''))
      return { table, after: keyOf(TABLE_SPECS[table], after ?? {}) };
  } catch {
    // said below
  }
  throw new InvalidInputError('after', text, 'Give the `next` of an earlier report, unchanged.');
}
