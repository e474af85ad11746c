import { defined } from '../../../core/defined.ts';
import { iso, storedInstant } from '../../../core/instant.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';

const PARTITION = 'workers';
const DAY_MS = 86_400_000;
/** How long a version is listed after it reported last. */
export const WORKER_DAYS = 30;
/** What stands for the types of a worker that hands out every type. */
export const EVERY_TYPE = '*';

/** What a process says of itself. `at` is epoch milliseconds. */
export interface WorkerReport {
  readonly worker: string;
  readonly version: string;
  readonly kind: 'lambda' | 'outside';
  readonly types: readonly string[];
  readonly at: number;
}

/** What is known of a version of a worker: the last report of any of its processes. */
export interface ReportedWorker extends Omit<WorkerReport, 'at'> {
  readonly firstSeen: number;
  readonly lastSeen: number;
}

const keyOf = (worker: string, version: string): RowKey => ({ pk: PARTITION, sk: `${worker}#${version}` });

/** Writes a report over the one before; the first one of a version costs a second write, which keeps when that was. Safe to repeat. */
export async function putReport(tables: Tables, { worker, version, kind, types, at }: WorkerReport): Promise<void> {
  const key = keyOf(worker, version);
  const expiresAt = Math.ceil((at + WORKER_DAYS * DAY_MS) / 1000);
  const set = { worker, version, kind, types: types.toSorted().join(), lastSeen: iso(at), expiresAt };
  const { row } = await tables.write({ op: 'update', table: 'control', key, set });
  if (row?.['firstSeen'] !== undefined) return;
  const condition = { test: 'absent', attribute: 'firstSeen' } as const;
  await tables.write({ op: 'update', table: 'control', key, set: { firstSeen: iso(at) }, condition });
}

/** Every version that reported within 30 days; half a read unit while they are few. What cannot be read is left out: it comes back. */
export async function readWorkers(tables: Tables, now: number): Promise<readonly ReportedWorker[]> {
  const rows: Row[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'control', partition: PARTITION, limit: 1_000, ...defined({ after }) });
    rows.push(...page.rows);
    after = page.cursor;
  } while (after !== undefined);
  return rows.flatMap(decode).filter(({ lastSeen }) => lastSeen > now - WORKER_DAYS * DAY_MS);
}

function decode(row: Row): readonly ReportedWorker[] {
  const { worker, version, kind, types } = row;
  const lastSeen = storedInstant(row['lastSeen']);
  if (typeof worker !== 'string' || typeof version !== 'string' || typeof types !== 'string' || lastSeen === undefined) return [];
  return [
    {
      worker,
      version,
      kind: kind === 'outside' ? kind : 'lambda',
      types: types === '' ? [] : types.split(','),
      firstSeen: storedInstant(row['firstSeen']) ?? lastSeen,
      lastSeen,
    },
  ];
}

/** Whether a worker with these types gets jobs of a type. */
export function handles(types: readonly string[], type: string): boolean {
  return types.includes(type) || types.includes(EVERY_TYPE);
}

/** Whether a worker that has a handler for the type reported after `since`: a job that found none then may find one now. */
export function knownSince(
  workers: readonly ReportedWorker[],
  job: { readonly type: string; readonly worker: string },
  since: number,
): boolean {
  return workers.some(({ worker, types, lastSeen }) => worker === job.worker && lastSeen > since && handles(types, job.type));
}
