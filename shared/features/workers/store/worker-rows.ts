import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { AnyLimit } from '../../../job/limit.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';

const PARTITION = 'workers';
const DAY_MS = 86_400_000;
/** How long a version is listed after it reported last. */
export const WORKER_DAYS = 30;
/** Stands for the types of an external worker, which fetches every type. */
export const EVERY_TYPE = '*';

/** The report of a process. `at` is epoch milliseconds. */
export interface WorkerReport {
  readonly worker: string;
  readonly version: string;
  readonly kind: 'lambda' | 'outside';
  readonly types: readonly string[];
  /** The versions of the payloads that it reads, for those of its types that are beyond the first. */
  readonly versions?: ReadonlyMap<string, number>;
  /** The codecs of its types: `type=codec` for the one that encodes, `type@codec` for others that it decodes. */
  readonly codecs?: readonly string[];
  /** The limits of its jobs, with the numbers of its code. */
  readonly limits?: readonly Pick<AnyLimit, 'name' | 'n' | 'perMs'>[];
  /** Why the process makes its writes one by one, if the store refused them in batches. */
  readonly batchRefusal?: string;
  /** The permission that the store last found missing: an action and a resource. */
  readonly missingPermission?: string;
  readonly at: number;
}

/** What is known of a version of a worker: the last report of any of its processes. */
export interface ReportedWorker extends Omit<WorkerReport, 'at'> {
  readonly firstSeen: number;
  readonly lastSeen: number;
}

const keyOf = (worker: string, version: string): RowKey => ({ pk: PARTITION, sk: `${worker}#${version}` });

/** Writes a report over the one before; the first one of a version costs a second write, which keeps when that was. Safe to repeat. */
export async function putReport(tables: Tables, report: WorkerReport): Promise<void> {
  const { worker, version, kind, types, versions = new Map<string, number>(), codecs = [], limits = [], at, batchRefusal } = report;
  const key = keyOf(worker, version);
  const expiresAt = Math.ceil((at + WORKER_DAYS * DAY_MS) / 1000);
  const payloads = [...versions]
    .map(([type, of]) => `${type}@${of}`)
    .toSorted()
    .join();
  const coded = codecs.toSorted().join() || undefined;
  // Never removed: it counts only with the report that it came with.
  const missing = report.missingPermission === undefined ? {} : { missingPermission: report.missingPermission, missingAt: iso(at) };
  const set = {
    worker,
    version,
    kind,
    types: types.toSorted().join(),
    payloads,
    limits: [...new Set(limits.map(({ name, n, perMs }) => `${name}=${n}${perMs === undefined ? '' : `/${perMs}`}`))].toSorted().join(),
    lastSeen: iso(at),
    expiresAt,
    ...missing,
    ...defined({ batchRefusal, codecs: coded }),
  };
  const remove = [...(batchRefusal === undefined ? ['batchRefusal'] : []), ...(coded === undefined ? ['codecs'] : [])];
  const { row } = await tables.write({ op: 'update', table: 'control', key, set, remove });
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
  const { worker, version, kind, types, payloads, codecs, limits, batchRefusal, missingPermission } = row;
  const lastSeen = storedInstant(row['lastSeen']);
  if (typeof worker !== 'string' || typeof version !== 'string' || typeof types !== 'string' || lastSeen === undefined) return [];
  return [
    {
      worker,
      version,
      kind: kind === 'outside' ? kind : 'lambda',
      types: types === '' ? [] : types.split(','),
      ...(typeof payloads === 'string' && payloads !== '' ? { versions: decodeVersions(payloads) } : {}),
      ...(typeof limits === 'string' && limits !== '' ? { limits: limits.split(',').flatMap(decodeLimit) } : {}),
      ...(typeof codecs === 'string' && codecs !== '' ? { codecs: codecs.split(',') } : {}),
      firstSeen: storedInstant(row['firstSeen']) ?? lastSeen,
      lastSeen,
      ...(typeof batchRefusal === 'string' ? { batchRefusal } : {}),
      ...(typeof missingPermission === 'string' && row['missingAt'] === row['lastSeen'] ? { missingPermission } : {}),
    },
  ];
}

function decodeLimit(text: string): NonNullable<WorkerReport['limits']> {
  const [, name, n, perMs] = /^([^=]+)=(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  return name === undefined ? [] : [{ name, n: Number(n), ...(perMs === undefined ? {} : { perMs: Number(perMs) }) }];
}

function decodeVersions(payloads: string): ReadonlyMap<string, number> {
  return new Map(payloads.split(',').map((one) => [one.slice(0, one.lastIndexOf('@')), Number(one.slice(one.lastIndexOf('@') + 1))]));
}

/** Whether a worker with these types gets jobs of a type. */
export function handles(types: readonly string[], type: string): boolean {
  return types.includes(type) || types.includes(EVERY_TYPE);
}

/** Whether a worker that has every type hands out a type that its reports do not name: in any version, as it is stored. */
const handsOut = ({ types, versions }: Pick<ReportedWorker, 'types' | 'versions'>, type: string): boolean =>
  types.includes(EVERY_TYPE) && versions?.has(type) !== true;

/** What a worker must know to run a job. */
export interface NeededOfWorker {
  readonly type: string;
  readonly schemaVersion: number;
  readonly codec?: string;
}

type Knowledge = Pick<ReportedWorker, 'types' | 'versions' | 'codecs'>;

/** Whether a worker reads the payload of a job whose type it has: its version, and its codec. */
function reads(worker: Knowledge, { type, schemaVersion, codec }: NeededOfWorker): boolean {
  if (handsOut(worker, type)) return true;
  return (worker.versions?.get(type) ?? 1) >= schemaVersion && (codec === undefined || decodes(worker, type, codec));
}

const decodes = ({ codecs = [] }: Knowledge, type: string, codec: string): boolean =>
  codecs.some((one) => one === `${type}=${codec}` || one === `${type}@${codec}`);

/** The codec that encodes the payloads of a type, by the worker with this type that reported last; undefined if there is none. */
export function encodingCodec(workers: readonly ReportedWorker[], type: string): string | undefined {
  const of = `${type}=`;
  const last = workers
    .filter(({ types, codecs = [] }) => types.includes(type) || codecs.some((one) => one.startsWith(of)))
    .toSorted((a, b) => b.lastSeen - a.lastSeen)[0];
  return last?.codecs?.find((one) => one.startsWith(of))?.slice(of.length);
}

/** Whether a worker has a handler for a job and reads its payload. */
export const canRun = (worker: Knowledge, job: NeededOfWorker): boolean => handles(worker.types, job.type) && reads(worker, job);

/**
 * Whether a worker that has a handler for the type, and reads the version and the codec of its payload, reported after `since`: a job that
 * found none then may find one now.
 */
export function knownSince(workers: readonly ReportedWorker[], job: NeededOfWorker & { readonly worker: string }, since: number): boolean {
  return workers.some((one) => one.worker === job.worker && one.lastSeen > since && canRun(one, job));
}
