import { defined } from '../../shared/job/defined.ts';
import { iso } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { leafOf } from '../../shared/job/job-id.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Condition, Row, RowKey, TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { decodeErrorGroup, ERROR_GROUPS, errorGroupKey } from '../../shared/features/error-groups/store/error-group-rows.ts';
import { eventPartition } from '../../shared/features/events/store/event-log.ts';
import { isAttemptRow } from '../../shared/store/attempt-rows.ts';
import { all, unchanged } from '../../shared/store/conditions.ts';
import { resultKey } from '../../shared/store/control-rows.ts';
import { findRow } from '../../shared/store/find-row.ts';
import { leavePlaceOf } from '../../shared/store/group-places.ts';
import { historyKey, isFinishedRow } from '../../shared/store/rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type CheckedFilter, checkFilter } from '../jobs/check-filter.ts';
import { type MatchedRow, matchingPage } from '../jobs/matching-rows.ts';
import { planOf } from '../jobs/plan.ts';
import type { ErasedKind, EraseScope } from './erasure.ts';

/** A row with something to erase, and the writes that erase it, on the condition that it is as it was read. */
export interface Target {
  readonly kind: ErasedKind;
  readonly table: TableName;
  readonly key: RowKey;
  readonly row: Row;
  readonly writes: readonly Write[];
  /** The job that it tells about. */
  readonly job: string;
}

/** A page of a place. Without a `cursor` it was the last. */
export interface PlacePage {
  /** Rows that were looked at. */
  readonly rows: number;
  readonly found: readonly Target[];
  /** Live jobs of the scope: they have a row, and nothing of it is erased. */
  readonly live?: readonly MatchedRow[];
  readonly cursor?: string;
}

/** Where something of a job may lie. */
export interface ErasePlace {
  readonly name: string;
  page(run: PlaceRun, cursor: string | undefined): Promise<PlacePage>;
  /** What is to be erased of a row that changed since it was read; undefined if nothing is any more. */
  judge(run: PlaceRun, row: Row): Promise<Target | undefined>;
}

/** What a place needs: the scope, and when the erasure began. */
export interface PlaceRun {
  readonly deps: AdminDeps;
  readonly scope: EraseScope;
  readonly startedAt: number;
}

/** The message of an error group of which the text was erased. */
export const ERASED_TEXT = '(erased)';

const DEAD: readonly JobState[] = ['dead'];
const LIVING: readonly JobState[] = ['waiting', 'parked', 'suspended', 'ready', 'running'];
const PAGE = 200;
const SCAN_PAGE = 1_000;
const PAGE_READ_UNITS = 1_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PARALLEL = 16;

/** Whether a row with the attributes of a job belongs to the scope. `id` is the job's. */
function isMeant({ id, type, tenant }: EraseScope, row: Row, job: unknown): boolean {
  return (
    (id === undefined || job === id) && (type === undefined || row['type'] === type) && (tenant === undefined || row['tenant'] === tenant)
  );
}

function target(kind: ErasedKind, { table, row, job }: Pick<Target, 'table' | 'row' | 'job'>, condition?: Condition): Target {
  const key = keyOf(TABLE_SPECS[table], row);
  return { kind, table, key, row, job, writes: [{ op: 'delete', table, key, ...defined({ condition }) }] };
}

/** Which jobs of the scope have not ended. */
export const liveFilter = (scope: EraseScope): CheckedFilter => checkFilter({ ...scope, state: LIVING });

/** The jobs of the scope in some states, a page at a time. */
async function jobsOf({ deps, scope, startedAt }: PlaceRun, state: readonly JobState[], cursor: string | undefined) {
  const { historyDays } = deps.deployment.settings;
  const plan = planOf(checkFilter({ ...scope, state }), { now: startedAt, historyDays });
  // What a transaction may delete depends on the size of the rows.
  const withPayload = state === DEAD;
  return matchingPage(deps.tables, plan, cursor, { limit: PAGE, maxReadUnits: PAGE_READ_UNITS, withPayload });
}

/** Jobs that have not ended. */
const live: ErasePlace = {
  name: 'live jobs',
  async page(run, cursor) {
    const { rows, next } = await jobsOf(run, LIVING, cursor);
    return { rows: rows.length, found: [], live: rows, ...defined({ cursor: next }) };
  },
  judge: async () => undefined,
};

/** Dead letters: those that changed since they were read are judged again, because a redriven one lives. */
const deadLetters: ErasePlace = {
  name: 'dead letters',
  async page(run, cursor) {
    const { rows, next } = await jobsOf(run, DEAD, cursor);
    const found = rows.map(({ row }) => deadTarget(row));
    return { rows: rows.length, found, ...defined({ cursor: next }) };
  },
  judge: async ({ scope }, row) => (isMeant(scope, row, row['id']) ? deadTarget(row) : undefined),
};

/** With its place in the order of its group, which would hold the group back and which names it. */
function deadTarget(row: Row): Target {
  const dead = target('deadLetters', { table: 'deadLetters', row, job: String(row['id']) }, unchanged('rev', row['rev']));
  return { ...dead, writes: [...dead.writes, ...leavePlaceOf(row)] };
}

/** Finished jobs, their attempts, and the event log: all of History. */
const history: ErasePlace = {
  name: 'History',
  async page(run, cursor) {
    const { rows, scanned, next } =
      run.scope.id === undefined
        ? await scanPage(run.deps.tables, 'history', filterOf(run.scope), cursor)
        : await historyOfJob(run, cursor);
    const found = rows.flatMap((row) => historyTarget(run.scope, row) ?? []);
    return { rows: scanned, found, ...defined({ cursor: next }) };
  },
  judge: async ({ scope }, row) => historyTarget(scope, row),
};

function historyTarget(scope: EraseScope, row: Row): Target | undefined {
  const kind = isFinishedRow(row) ? 'finished' : isAttemptRow(row) ? 'attempts' : 'events';
  const job = String(kind === 'finished' ? row['id'] : row['jobId']);
  return isMeant(scope, row, job) ? target(kind, { table: 'history', row, job }) : undefined;
}

/** A job and its attempts lie together; its events lie in the partitions of one leaf, an hour each. */
async function historyOfJob({ deps, scope, startedAt }: PlaceRun, cursor: string | undefined): Promise<ScannedPage> {
  const id = scope.id ?? '';
  const { tables } = deps;
  if (cursor === undefined || cursor.startsWith('job ')) {
    const partition = String(historyKey(id)['day']);
    const after = cursor === undefined ? {} : { after: { day: partition, id: cursor.slice('job '.length) } };
    const page = await tables.query({
      table: 'history',
      partition,
      from: id,
      through: `${id}#~`,
      limit: SCAN_PAGE,
      consistent: true,
      ...after,
    });
    const next = page.cursor === undefined ? 'day 0' : `job ${page.cursor['id']}`;
    return { rows: page.rows, scanned: page.rows.length, next };
  }
  const back = Number(cursor.slice('day '.length));
  const hours = Array.from({ length: 24 }, (_, hour) => iso(startedAt - back * DAY_MS - hour * HOUR_MS).slice(0, 13));
  const found = await mapLimited(hours, PARALLEL, async (hour) => eventsOf(tables, eventPartition(hour, leafOf(id)), id));
  const rows = found.flat();
  const isLast = back >= deps.deployment.settings.historyDays;
  return { rows, scanned: rows.length, ...(isLast ? {} : { next: `day ${back + 1}` }) };
}

/** The events of one job in an hour. */
async function eventsOf(tables: Tables, partition: string, id: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'history', partition, limit: SCAN_PAGE, ...defined({ after }) });
    rows.push(...page.rows.filter((row) => row['jobId'] === id));
    after = page.cursor;
  } while (after !== undefined);
  return rows;
}

/** Results that clients wait for. */
const results: ErasePlace = {
  name: 'results',
  async page({ deps, scope }, cursor) {
    if (scope.id !== undefined) {
      const row = await deps.tables.get('control', resultKey(scope.id));
      return { rows: 1, found: row === undefined ? [] : [resultTarget(scope, row)].flatMap((one) => one ?? []) };
    }
    const condition = all({ test: 'beginsWith', attribute: 'pk', value: RESULT }, filterOf(scope));
    const { rows, scanned, next } = await scanPage(deps.tables, 'control', condition, cursor);
    return { rows: scanned, found: rows.flatMap((row) => resultTarget(scope, row) ?? []), ...defined({ cursor: next }) };
  },
  judge: async ({ scope }, row) => resultTarget(scope, row),
};

const RESULT = 'result#';

function resultTarget(scope: EraseScope, row: Row): Target | undefined {
  const job = String(row['pk']).slice(RESULT.length);
  return isMeant(scope, row, job) ? target('results', { table: 'control', row, job }) : undefined;
}

/** Error groups show the message of the job that died last. The group stays; its message goes. */
const errorTexts: ErasePlace = {
  name: 'error groups',
  async page(run, cursor) {
    const after = cursor === undefined ? {} : { after: errorGroupKey(cursor) };
    const page = await run.deps.tables.query({ table: 'control', partition: ERROR_GROUPS, limit: PAGE, ...after });
    const found = await mapLimited(page.rows, PARALLEL, async (row) => textTarget(run, row));
    return { rows: page.rows.length, found: found.flatMap((one) => one ?? []), ...defined({ cursor: page.cursor?.['sk'] }) };
  },
  judge: async (run, row) => textTarget(run, row),
};

async function textTarget({ deps, scope }: PlaceRun, row: Row): Promise<Target | undefined> {
  const { message, sample, type } = decodeErrorGroup(row);
  if (message === '' || message === ERASED_TEXT) return undefined;
  if (scope.type !== undefined && type !== scope.type) return undefined;
  if (scope.id !== undefined && sample !== scope.id) return undefined;
  if (scope.tenant !== undefined && !(await mayBeOf(deps.tables, sample, scope.tenant))) return undefined;
  const key = keyOf(TABLE_SPECS.control, row);
  const condition = unchanged('sample', row['sample']);
  const write: Write = { op: 'update', table: 'control', key, set: { message: ERASED_TEXT }, condition };
  return { kind: 'errorTexts', table: 'control', key, row, writes: [write], job: sample };
}

/** Whether a message may be of the tenant. The tenant of a job without a row is unknown, so its message is erased too. */
async function mayBeOf(tables: Tables, sample: string, tenant: string): Promise<boolean> {
  const found = await findRow(tables, sample);
  return found === undefined || found.row['tenant'] === tenant;
}

/** Rows of a table that belong to the scope, as far as the table can tell, and how many were read. */
interface ScannedPage {
  readonly rows: readonly Row[];
  readonly scanned: number;
  readonly next?: string;
}

/** What a scan leaves out at the table: it saves bytes, not read units. */
function filterOf({ type, tenant }: EraseScope): Condition {
  const parts = Object.entries(defined({ type, tenant }));
  return all(...parts.map(([attribute, value]): Condition => ({ test: 'equals', attribute, value })));
}

async function scanPage(tables: Tables, table: TableName, filter: Condition, cursor: string | undefined): Promise<ScannedPage> {
  const after = cursor === undefined ? {} : { after: JSON.parse(cursor) as RowKey };
  const page = await tables.scan({ table, segment: 0, segments: 1, limit: SCAN_PAGE, filter, ...after });
  const next = page.cursor === undefined ? undefined : JSON.stringify(page.cursor);
  return { rows: page.rows, scanned: page.scanned ?? page.rows.length, ...defined({ next }) };
}

/** Every place, in the order in which an ended job may still move: a cancelled job goes to History. */
export const PLACES: readonly ErasePlace[] = [live, deadLetters, history, results, errorTexts];
