import { isJobId, type JobId } from '../../shared/job/job-id.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { keyToRelease } from '../../shared/job/unique-key.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, Tables, Write } from '../../shared/ports/tables.ts';
import { keyOfJob } from '../../shared/store/conditions.ts';
import { uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { historyKey, isParked } from '../../shared/store/rows.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { takeMissingKey } from './keys.ts';
import { isRunning, type JobTable, laterFirst, type Place, placesOf, revOf, samePlace } from './rows-of-job.ts';
import { quietly, type ReconcileRun, type ReconcileStep, settle } from './run.ts';
import { listCauseOf } from './suspended-rows.ts';
import { releaseUnlisted, writePointer } from './timer-rows.ts';

export const PAGE_ROWS = 200;
export const PARALLEL_ROWS = 16;

/** Looks at every row of a table that holds jobs: whether it is the only one of its job, and whether what leads to it is there. */
export function jobRowsStep(table: JobTable): ReconcileStep {
  return {
    name: table,
    async page(run, after) {
      const scan = { table, segment: 0, segments: 1, limit: PAGE_ROWS } as const;
      const page = await run.deps.tables.scan(after === undefined ? scan : { ...scan, after });
      await mapLimited(page.rows, PARALLEL_ROWS, async (row) => {
        const { id } = row;
        if (!isJobId(id) || revOf(row) === undefined) return;
        await quietly(run, id, async () => lookAtRow(run, id, { table, key: keyOf(TABLE_SPECS[table], row), row }));
      });
      return { rows: page.rows.length, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
    },
  };
}

async function lookAtRow(run: ReconcileRun, id: JobId, place: Place): Promise<void> {
  const { tables } = run.deps;
  const [{ places, pointer }, finished] = await Promise.all([placesOf(tables, id), finishedRowOf(tables, id)]);
  if (finished !== undefined && hasEnded(place.row, finished)) return dropFinished(run, id, place);
  const others = places.filter((other) => revOf(other.row) !== undefined && !samePlace(other, place));
  if (!(await keepLatest(run, id, place, others))) return;
  const isReached = places.some((other) => samePlace(other, place));
  if (place.table === 'timers' && !isReached) await writePointer(run, id, place, pointer);
  if (place.table === 'timers' && isParked(place.row['shard'])) await releaseUnlisted(run, id, place);
  if (place.table === 'suspended') await listCauseOf(run, id, place);
  if (place.table !== 'deadLetters') await takeMissingKey(run, id, place);
}

/** The row of a finished job in History. */
export async function finishedRowOf(tables: Tables, id: JobId): Promise<Row | undefined> {
  const row = await tables.get('history', historyKey(id));
  return typeof row?.['outcome'] === 'string' ? row : undefined;
}

/**
 * A job ends once. A row that was created after that end is that of another life of its id, which was made by hand, unless both rows were
 * created at the same time: then the clock of its producer was ahead of that of its executor.
 */
export function hasEnded(row: Row, finished: Row): boolean {
  const [createdAt, finishedAt] = [storedInstant(row['createdAt']), storedInstant(finished['finishedAt'])];
  if (createdAt === undefined || finishedAt === undefined) return false;
  return createdAt <= finishedAt || createdAt === storedInstant(finished['createdAt']);
}

/** Removes a row of a finished job. Leaves its batch alone: a later step compares the counters of batches with their jobs. */
async function dropFinished(run: ReconcileRun, id: JobId, place: Place): Promise<void> {
  const says = `History knows its end, and ${place.table} has its row again`;
  const finding = { kind: 'finished-again', subject: id, says } as const;
  if (isRunning(place, run.deps.clock.now())) return run.findings.add({ ...finding, says: `${says}; an executor runs it now` }, 'left');
  const release = await releaseOf(run.deps.tables, id, place.row);
  await settle(run, finding, { removes: [place], writes: { release }, job: place.row });
}

/** The release of a unique key that the job still holds. */
async function releaseOf(tables: Tables, id: JobId, row: Row): Promise<Write | undefined> {
  if (typeof row['key'] !== 'string') return undefined;
  const hash = keyToRelease(decodeJob(row));
  if (hash === undefined) return undefined;
  const key = uniqueKeyKey(hash);
  const held = (await tables.get('control', key))?.['jobId'] === id;
  return held ? { op: 'delete', table: 'control', key, condition: keyOfJob(id) } : undefined;
}

/**
 * Deletes all rows of a job but the one that was written last: whatever wrote it took the job from where the others still have it. False
 * when `place` is not the last one. Nothing is lost, because the transaction demands the row that stays.
 */
async function keepLatest(run: ReconcileRun, id: JobId, place: Place, others: readonly Place[]): Promise<boolean> {
  if (others.length === 0) return true;
  const [latest = place, ...older] = [place, ...others].toSorted(laterFirst);
  for (const one of older) {
    const says = `${latest.table} has it with revision ${revOf(latest.row)}, ${one.table} with ${revOf(one.row)}`;
    const finding = { kind: 'two-places', subject: id, says } as const;
    if (!run.findings.isNew(finding, JSON.stringify([one.table, one.key]))) continue;
    if (isRunning(one, run.deps.clock.now())) run.findings.add({ ...finding, says: `${says}; an executor runs it now` }, 'left');
    else await settle(run, finding, { rests: [latest], removes: [one], job: latest.row });
  }
  return samePlace(latest, place);
}
