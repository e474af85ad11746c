import { iso, storedInstant } from '../../shared/job/instant.ts';
import { isJobId, type JobId } from '../../shared/job/job-id.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { keyToCancel } from '../../shared/job/unique-key.ts';
import type { Condition, Row, RowKey, TableName, Tables } from '../../shared/ports/tables.ts';
import { any, keyOfJob, noRow, unchanged } from '../../shared/store/conditions.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { isRunning, nowhere, type Place, placesOf } from './rows-of-job.ts';
import { quietly, type ReconcileRun, type ReconcileStep, settle } from './run.ts';

const PAGE_ROWS = 500;
const PARALLEL = 16;
const PREFIX = 'key#';

/** Whether the holder of a key may still run. Its dead letter holds none: a redrive takes the key again, or refuses. */
async function holderOf(
  tables: Tables,
  id: unknown,
): Promise<{ readonly lives: boolean; readonly dead?: Place; readonly pointer?: Row | undefined }> {
  if (!isJobId(id)) return { lives: false };
  // A job that moves between two reads is met by the second look.
  for (let look = 0; look < 2; look++) {
    const { places, pointer } = await placesOf(tables, id);
    if (places.some(({ table }) => table !== 'deadLetters')) return { lives: true };
    const [dead] = places;
    if (dead !== undefined) return { lives: false, dead, pointer };
    if (look === 1) return { lives: false, pointer };
  }
  return { lives: false };
}

/**
 * Control is older than the job: its key is not there, or still that of a job that has ended since. A job that runs or was asked to stop is
 * left out: an enqueue may have passed its key to another job.
 */
export async function takeMissingKey(run: ReconcileRun, id: JobId, place: Place): Promise<void> {
  if (typeof place.row['key'] !== 'string') return;
  const { tables, clock } = run.deps;
  const job = decodeJob(place.row);
  const [hash, now] = [keyToCancel(job), clock.now()];
  if (job.cancelRequested === true || isRunning(place, now)) return;
  if (hash === undefined || (job.keyExpiresAt !== undefined && job.keyExpiresAt <= now)) return;
  const held = await tables.get('control', uniqueKeyKey(hash));
  if (held?.['jobId'] === id) return;
  const expired = (storedInstant(held?.['until']) ?? Number.POSITIVE_INFINITY) <= now;
  const isFree = held === undefined || expired;
  if (!isFree && held['until'] === undefined && (await holderOf(tables, held['jobId'])).lives) {
    return run.findings.add({ kind: 'key-contested', subject: id, says: `${String(held['jobId'])} holds the key of this job` }, 'left');
  }
  // A key for a stated time outlives its job on purpose.
  if (!isFree && held['until'] !== undefined) return;
  const free: Condition = any(noRow('pk'), { test: 'atMost', attribute: 'until', value: iso(now) });
  const condition = isFree ? free : keyOfJob(String(held['jobId']));
  run.repairedBefore.add(hash);
  await settle(
    run,
    {
      kind: 'key-missing',
      subject: id,
      says: isFree ? 'its key is free' : `its key is held by ${String(held['jobId'])}, which has ended`,
    },
    {
      rests: [place],
      writes: { key: { op: 'put', table: 'control', row: uniqueKeyRow(hash, id, job.keyExpiresAt), condition } },
      job: place.row,
    },
  );
}

/** Looks at every unique key that lasts until its job has ended: whether that job is still there. */
export const keysStep: ReconcileStep = {
  name: 'keys',
  async page(run, after) {
    const filter: Condition = { test: 'beginsWith', attribute: 'pk', value: PREFIX };
    const scan = { table: 'control', segment: 0, segments: 1, limit: PAGE_ROWS, filter } as const;
    const page = await run.deps.tables.scan(after === undefined ? scan : { ...scan, after });
    const lasting = page.rows.filter((row) => row['until'] === undefined);
    await mapLimited(lasting, PARALLEL, async (row) => quietly(run, String(row['pk']), async () => freeOrphan(run, row)));
    return { rows: page.scanned ?? page.rows.length, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
  },
};

async function freeOrphan(run: ReconcileRun, { pk, sk, jobId }: Row): Promise<void> {
  const hash = String(pk).slice(PREFIX.length);
  if (run.repairedBefore.has(String(jobId)) || run.repairedBefore.has(hash)) return;
  const { lives, dead, pointer } = await holderOf(run.deps.tables, jobId);
  if (lives) return;
  const [key, id]: [RowKey, string] = [{ pk: String(pk), sk: String(sk) }, String(jobId)];
  const now = await run.deps.tables.get('control', key);
  if (now?.['jobId'] !== jobId) return;
  // Whatever brings the holder back is a transaction that writes one of these rows.
  const skips = (table: TableName): boolean => table === 'history' || (table === 'deadLetters' && dead !== undefined);
  await settle(
    run,
    { kind: 'key-orphan', subject: hash, says: `${id} holds it and ${dead === undefined ? 'is gone or has ended' : 'is a dead letter'}` },
    {
      rests: dead === undefined ? [] : [dead],
      writes: {
        key: { op: 'delete', table: 'control', key, condition: unchanged('jobId', jobId) },
        gone: isJobId(id) ? nowhere(id, pointer, skips) : [],
      },
    },
  );
}
