import { iso } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import type { Row, RowKey, Tables, Write } from '../../shared/ports/tables.ts';
import { noRow, unchanged } from '../../shared/store/conditions.ts';
import { readable, rowCodec } from '../../shared/store/row-codec.ts';
import { transact } from '../../shared/store/transact.ts';

const DAY_MS = 86_400_000;
/** How long a bulk action is remembered after it was last touched. */
const KEPT_DAYS = 30;
/** Partition that lists the bulk actions: their ids sort by when they began. */
const PARTITION = 'bulk';

/** Key of a bulk action. */
export const bulkKey = (id: string): RowKey => ({ pk: PARTITION, sk: id });

/** The row of a bulk action: its lease, and the rest as opaque JSON. */
export interface BulkRow {
  readonly id: string;
  readonly state: string;
  /** Number of steps that were written down. */
  readonly steps: number;
  readonly updatedAt: number;
  /** Absent if no process is running it. */
  readonly lockOwner?: string;
  readonly lockExpiresAt?: number;
}

/** A write of a bulk action: its row, the jobs that this step met, and what records it, on no condition. */
export interface BulkStep {
  readonly row: BulkRow;
  readonly met: readonly JobId[];
  readonly records: readonly Write[];
}

/** The partition of the jobs that a bulk action met, one row a step: 37 bytes a job. */
const metPartition = (id: string): string => `bulk#${id}`;
const PAGE = 100;

/** Writes a new bulk action. Its id is fresh, so a row under it is what an earlier attempt of this very call wrote. */
export async function beginBulk(tables: Tables, { row, records }: Omit<BulkStep, 'met'>): Promise<void> {
  // An attempt that arrives after its token was forgotten must not begin it again.
  const put: Write = { op: 'put', table: 'control', row: encode(row), condition: noRow('pk') };
  await transact(tables, `bulk/${row.id}/begin`, { put, records });
}

/**
 * Records a step if the bulk action is still held by `owner`; false if another process took it over. What the step is about to act
 * on is in the same transaction as the position behind it.
 */
export async function saveBulk(tables: Tables, { row, met, records }: BulkStep, owner: string): Promise<boolean> {
  const put: Write = { op: 'put', table: 'control', row: encode(row), condition: unchanged('lockOwner', owner) };
  const ids: Row = {
    pk: metPartition(row.id),
    sk: stepKey(row.steps),
    ids: met.join(' '),
    expiresAt: expiry(row.updatedAt),
  };
  const putIds: Write | undefined = met.length === 0 ? undefined : { op: 'put', table: 'control', row: ids };
  const token = `bulk/${row.id}/${owner}/${row.steps}/${row.updatedAt}`;
  const { applied } = await transact(tables, token, { put, putIds, records });
  return applied;
}

/** Takes over a bulk action that no process is running; false if another one was faster. */
export async function takeBulk(tables: Tables, seen: BulkRow, mine: BulkStep): Promise<boolean> {
  const free = unchanged('lockOwner', seen.lockOwner);
  const asSeen = unchanged('updatedAt', iso(seen.updatedAt));
  const put: Write = { op: 'put', table: 'control', row: encode(mine.row), condition: { test: 'all', of: [free, asSeen] } };
  const { applied } = await transact(tables, `bulk/${seen.id}/take/${mine.row.lockOwner ?? ''}`, { put, records: mine.records });
  return applied;
}

/** A bulk action by its id. Throws RowUnreadableError. */
export async function readBulk(tables: Tables, id: string): Promise<BulkRow | undefined> {
  const row = await tables.get('control', bulkKey(id));
  return row && decode(row);
}

/** The last ones, newest first. A damaged row is left out and does not hide the others. */
export async function readBulks(tables: Tables, limit: number, before?: string): Promise<readonly BulkRow[]> {
  const found: BulkRow[] = [];
  let after: RowKey | undefined = before === undefined ? undefined : bulkKey(before);
  do {
    const at = after === undefined ? {} : { after };
    const page = await tables.query({ table: 'control', partition: PARTITION, limit: limit - found.length, newestFirst: true, ...at });
    found.push(...page.rows.flatMap((row) => readable(() => decode(row))));
    after = page.cursor;
  } while (after !== undefined && found.length < limit);
  return found;
}

/** Every job that a bulk action has met so far, by what its steps wrote down; `of` are those of one step. */
export async function readMet(
  tables: Tables,
  id: string,
  step?: number,
): Promise<{ readonly met: Set<JobId>; readonly of: readonly JobId[] }> {
  const met = new Set<JobId>();
  let of: readonly JobId[] = [];
  let after: RowKey | undefined;
  do {
    const at = after === undefined ? {} : { after };
    const page = await tables.query({ table: 'control', partition: metPartition(id), limit: PAGE, consistent: true, ...at });
    for (const row of page.rows) {
      const ids = String(row['ids']).split(' ');
      for (const job of ids) met.add(job);
      if (step !== undefined && row['sk'] === stepKey(step)) of = ids;
    }
    after = page.cursor;
  } while (after !== undefined);
  return { met, of };
}

const stepKey = (step: number): string => String(step).padStart(8, '0');

const expiry = (at: number): number => Math.ceil((at + KEPT_DAYS * DAY_MS) / 1000);

const BULK = rowCodec({ state: 'text', steps: 'integer', updatedAt: 'instant', lockOwner: 'text~', lockExpiresAt: 'instant~' });

const encode = (bulk: BulkRow): Row => ({ ...bulkKey(bulk.id), ...BULK.encode(bulk), expiresAt: expiry(bulk.updatedAt) });

const decode = (row: Row): BulkRow => ({ id: String(row['sk']), ...BULK.decode(row) });
