import { isJobId, type JobId } from '../../shared/job/job-id.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, RowKey, Write } from '../../shared/ports/tables.ts';
import { noRow, unchanged } from '../../shared/store/conditions.ts';
import { movedKey } from '../../shared/store/control-rows.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { readyRow } from '../../shared/store/ready-row.ts';
import { isParked, jobRow, timerKey } from '../../shared/store/rows.ts';
import { finishedRowOf, PAGE_ROWS, PARALLEL_ROWS } from './job-rows.ts';
import { takeMissingKey } from './keys.ts';
import { nowhere, type Place, placesOf, revOf, sameKey } from './rows-of-job.ts';
import { type EarlierCopy, quietly, readyTerms, type ReconcileRun, type ReconcileStep, settle } from './run.ts';
import { listCauseOf } from './suspended-rows.ts';
import { pointerTo } from './timer-rows.ts';

/** Looks at every row of an earlier copy of a table: whether its job is anywhere now, or finished. */
export function copyStep(copy: EarlierCopy): ReconcileStep {
  const { table } = copy;
  return {
    name: `copy ${copy.name}`,
    async page(run, after) {
      const scan = { table, segment: 0, segments: 1, limit: PAGE_ROWS } as const;
      const page = await copy.tables.scan(after === undefined ? scan : { ...scan, after });
      await mapLimited(page.rows, PARALLEL_ROWS, async (row) => {
        const { id } = row;
        if (!isJobId(id) || revOf(row) === undefined || run.repairedBefore.has(id)) return;
        await quietly(run, id, async () => putBackIfMissing(run, id, { table, key: keyOf(TABLE_SPECS[table], row), row }));
      });
      return { rows: page.rows.length, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
    },
  };
}

async function putBackIfMissing(run: ReconcileRun, id: JobId, copied: Place): Promise<void> {
  const { tables } = run.deps;
  let pointer: Row | undefined;
  // A job that moves between two reads is met by the second look.
  for (let look = 0; look < 2; look++) {
    const [found, finished] = await Promise.all([placesOf(tables, id), finishedRowOf(tables, id)]);
    if (found.places.length > 0 || finished !== undefined) return;
    ({ pointer } = found);
  }
  const { place, ready } = whereTo(run, copied);
  const skips = (table: string, key: RowKey): boolean => table === place.table && sameKey(key, place.key);
  const put: Write = { op: 'put', table: place.table, row: place.row, condition: noRow(TABLE_SPECS[place.table].partition) };
  const outcome = await settle(
    run,
    { kind: 'job-missing', subject: id, says: `it was in ${copied.table} of the earlier copy with revision ${revOf(copied.row)}` },
    {
      writes: { put, gone: nowhere(id, pointer, skips), pointer: pointerWrite(id, place, pointer) },
      job: copied.row,
    },
    ready,
  );
  if (outcome !== 'repaired') return;
  if (place.table === 'suspended') await listCauseOf(run, id, place);
  if (place.table !== 'deadLetters') await takeMissingKey(run, id, place);
}

/** A row of Jobs is leased to its queue: whatever held it does not exist any more. A parked job goes there too, and its limit decides anew. */
function whereTo(run: ReconcileRun, copied: Place): { readonly place: Place; readonly ready?: LeasedJob } {
  if (copied.table !== 'jobs' && !isParked(copied.row['shard'])) return { place: copied };
  const ready = readyRow(decodeJob(copied.row), readyTerms(run));
  return { place: { table: 'jobs', key: { id: ready.id }, row: jobRow(ready) }, ready };
}

/** The pointer stays as it was seen, or leads to where the timer is put. */
function pointerWrite(id: JobId, { table, key, row }: Place, seen: Row | undefined): Write {
  const condition = unchanged('due', seen?.['due']);
  const pointer = table === 'timers' && !sameKey(key, timerKey(id)) ? pointerTo(id, row) : undefined;
  return pointer === undefined
    ? { op: 'check', table: 'control', key: movedKey(id), condition }
    : { op: 'put', table: 'control', row: pointer, condition };
}
