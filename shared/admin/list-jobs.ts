import { InvalidInputError } from '../core/errors.ts';
import { storedInstant } from '../core/instant.ts';
import type { JobState } from '../core/job.ts';
import { isQueueOwner } from '../core/lock-owner.ts';
import { checkOptions, checkText, checkTypeName } from '../core/names.ts';
import { keyOf, TABLE_SPECS } from '../ports/table-spec.ts';
import type { Condition, Row, RowKey, Tables } from '../ports/tables.ts';

/** A state in which jobs can be listed; finished ones are in the history. */
export type ListedState = Exclude<JobState, 'finished'>;

/** Which jobs to list, and how many. */
export interface ListOptions {
  readonly state: ListedState;
  readonly type?: string;
  readonly tenant?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
  /** The `next` of an earlier page. */
  readonly after?: string;
  /** Read units after which a page ends, full or not. Default 1,000: about 8 MB of rows. */
  readonly maxReadUnits?: number;
}

/** A job in a list: without its payload. */
export interface ListedJob {
  readonly id: string;
  readonly type: string;
  readonly state: ListedState;
  readonly priority: number;
  readonly attempts: number;
  readonly failures: number;
  readonly dueAt?: Date;
  readonly createdAt?: Date;
  readonly tenant?: string;
  readonly group?: string;
  readonly batch?: string;
  readonly schedule?: string;
  /** Of a suspended job: the scope of its suspension, `no-handler#<type>` or `breakpoint`. */
  readonly cause?: string;
  /** Of a dead letter, or of a breakpoint. */
  readonly reason?: string;
  readonly error?: string;
}

/** A page of a list, in no order. `next` is there as long as not everything was looked at; a page may be empty and not the last. */
export interface JobPage {
  readonly jobs: readonly ListedJob[];
  readonly next?: string;
  readonly readUnits: number;
}

/** How many jobs there are in each state. `complete` is false when the read units ended before the tables. */
export interface JobCounts extends Readonly<Record<ListedState, number>> {
  readonly complete: boolean;
  readonly readUnits: number;
}

type Place = 'jobs' | 'timers' | 'suspended' | 'deadLetters';
const PLACE_OF: Readonly<Record<ListedState, Place>> = {
  ready: 'jobs',
  running: 'jobs',
  waiting: 'timers',
  parked: 'timers',
  suspended: 'suspended',
  dead: 'deadLetters',
};
const PLACES: readonly Place[] = ['timers', 'suspended', 'jobs', 'deadLetters'];
const PAGE = 1_000;

/** One page of the jobs in a state, by a scan of the table in which they lie. */
export async function listJobs(tables: Tables, options: ListOptions): Promise<JobPage> {
  checkOptions(options, ['state', 'type', 'tenant', 'limit', 'after', 'maxReadUnits'], 'options');
  const { state, limit = 100, maxReadUnits = 1_000 } = options;
  if (!Object.hasOwn(PLACE_OF, state)) {
    throw new InvalidInputError('state', state, `Use one of ${Object.keys(PLACE_OF).join(', ')}; finished jobs are in the history.`);
  }
  checkCount(limit, 'limit', 1_000);
  checkCount(maxReadUnits, 'maxReadUnits', 1_000_000);
  const table = PLACE_OF[state];
  const jobs: ListedJob[] = [];
  let readUnits = 0;
  let after = options.after === undefined ? undefined : cursorOf(options.after, table);
  do {
    const page = await tables.scan({
      table,
      segment: 0,
      segments: 1,
      limit: PAGE,
      ...filterOf(options),
      ...(after === undefined ? {} : { after }),
    });
    readUnits += page.readUnits;
    const fitting = page.rows.filter((row) => stateOf(table, row) === state);
    const taken = fitting.slice(0, limit - jobs.length);
    jobs.push(...taken.map((row) => listed(row, state)));
    const last = taken.at(-1);
    after = taken.length < fitting.length && last !== undefined ? keyOf(TABLE_SPECS[table], last) : page.cursor;
  } while (after !== undefined && jobs.length < limit && readUnits < maxReadUnits);
  return { jobs, readUnits, ...(after === undefined ? {} : { next: Buffer.from(JSON.stringify(after)).toString('base64url') }) };
}

/** Counts jobs by state, by a scan of every table in which they lie. */
export async function countJobs(
  tables: Tables,
  options: { readonly type?: string; readonly tenant?: string; readonly maxReadUnits?: number } = {},
): Promise<JobCounts> {
  checkOptions(options, ['type', 'tenant', 'maxReadUnits'], 'options');
  const { maxReadUnits = 10_000 } = options;
  checkCount(maxReadUnits, 'maxReadUnits', 1_000_000);
  const counts: Record<ListedState, number> = { waiting: 0, parked: 0, ready: 0, running: 0, suspended: 0, dead: 0 };
  const filter = filterOf(options);
  let readUnits = 0;
  for (const table of PLACES) {
    let after: RowKey | undefined;
    do {
      if (readUnits >= maxReadUnits) return { ...counts, complete: false, readUnits };
      const page = await tables.scan({ table, segment: 0, segments: 1, limit: PAGE, ...filter, ...(after === undefined ? {} : { after }) });
      readUnits += page.readUnits;
      for (const row of page.rows) counts[stateOf(table, row)]++;
      after = page.cursor;
    } while (after !== undefined);
  }
  return { ...counts, complete: true, readUnits };
}

function filterOf({ type, tenant }: { readonly type?: string; readonly tenant?: string }): { readonly filter?: Condition } {
  const wanted = { type: type === undefined ? undefined : checkTypeName(type), tenant: checkText(tenant, 'tenant') };
  const of = Object.entries(wanted).flatMap(([attribute, value]): Condition[] =>
    value === undefined ? [] : [{ test: 'equals', attribute, value }],
  );
  return of.length === 0 ? {} : { filter: { test: 'all', of } };
}

function stateOf(table: Place, row: Row): ListedState {
  if (table === 'jobs') return isQueueOwner(String(row['lockOwner'])) ? 'ready' : 'running';
  if (table === 'timers') return String(row['shard']).startsWith('limit#') ? 'parked' : 'waiting';
  return table === 'suspended' ? 'suspended' : 'dead';
}

/** Rows that cannot be read are listed too, with what can be read of them. */
function listed(row: Row, state: ListedState): ListedJob {
  const date = (name: string): Date | undefined => {
    const at = storedInstant(row[name]);
    return at === undefined ? undefined : new Date(at);
  };
  const given = {
    dueAt: date('dueAt'),
    createdAt: date('createdAt'),
    ...Object.fromEntries(['tenant', 'group', 'batch', 'schedule', 'cause', 'reason'].map((name) => [name, row[name]])),
    error: row['errorMessage'],
  };
  const there = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    id: String(row['id']),
    type: String(row['type']),
    state,
    priority: Number(row['priority'] ?? 0),
    attempts: Number(row['starts'] ?? 0),
    failures: Number(row['failures'] ?? 0),
    ...there,
  };
}

function cursorOf(text: string, table: Place): RowKey {
  try {
    const key = JSON.parse(Buffer.from(text, 'base64url').toString()) as RowKey;
    const names = Object.keys(keyOf(TABLE_SPECS[table], key));
    if (names.every((name) => typeof key[name] === 'string') && Object.keys(key).length === names.length) return key;
  } catch {
    // said below
  }
  throw new InvalidInputError('after', text, 'Give the `next` of an earlier page of the same state, unchanged.');
}

function checkCount(count: number, field: string, most: number): void {
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return;
  throw new InvalidInputError(field, count, `Use a whole number from 1 to ${most}.`);
}
