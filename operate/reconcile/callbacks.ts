import { mapLimited } from '../../shared/job/map-limited.ts';
import { BATCH_CALLBACKS } from '../../shared/features/batches/model/batch-progress.ts';
import { batchHeadKey, decodeBatchHead } from '../../shared/features/batches/store/batch-rows.ts';
import { callbackJob, KEPT_MS } from '../../shared/features/batches/store/tell-batch.ts';
import type { Condition, Row } from '../../shared/ports/tables.ts';
import { all, noRow } from '../../shared/store/conditions.ts';
import { batchPartition } from '../../shared/store/control-rows.ts';
import { idKey, jobRow } from '../../shared/store/rows.ts';
import { finishedRowOf } from './job-rows.ts';
import { nowhere, placesOf } from './rows-of-job.ts';
import { quietly, readyTerms, type ReconcileRun, type ReconcileStep, settle } from './run.ts';

const PAGE_ROWS = 500;
const PARALLEL = 8;
const PREFIX = batchPartition('');
const CALL = 'call#';
/** How long before the instant of the restore a callback may have been enqueued that the tables of jobs do not have yet. */
const WINDOW_MS = 60_000;

/** Looks at the callbacks that batches enqueued shortly before `restoredTo`: Control may have been restored to a later moment than Jobs. */
export function callbacksStep(restoredTo: number): ReconcileStep {
  return {
    name: 'callbacks',
    async page(run, after) {
      const filter: Condition = all(
        { test: 'beginsWith', attribute: 'sk', value: CALL },
        { test: 'beginsWith', attribute: 'pk', value: PREFIX },
        { test: 'present', attribute: 'expiresAt' },
      );
      const scan = { table: 'control', segment: 0, segments: 1, limit: PAGE_ROWS, filter } as const;
      const page = await run.deps.tables.scan(after === undefined ? scan : { ...scan, after });
      const recent = page.rows.filter((row) => toldAt(row) >= restoredTo - WINDOW_MS);
      await mapLimited(recent, PARALLEL, async (row) => quietly(run, String(row['pk']), async () => lookAtCallback(run, row)));
      return { rows: page.scanned ?? page.rows.length, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
    },
  };
}

/** When a callback was used up: that is when it was given its time to expire. */
const toldAt = ({ expiresAt }: Row): number => Number(expiresAt) * 1_000 - KEPT_MS;

async function lookAtCallback(run: ReconcileRun, callback: Row): Promise<void> {
  const { tables } = run.deps;
  const { pk, sk } = callback;
  const batch = String(pk).slice(PREFIX.length);
  const name = BATCH_CALLBACKS.find((one) => sk === `${CALL}${one}`);
  const row = await tables.get('control', batchHeadKey(batch));
  if (name === undefined || row === undefined) return;
  const head = decodeBatchHead(row);
  // The end of a batch gives all its callbacks a time to expire, also those that never fire.
  if (!head.fired.includes(name)) return;
  const ready = callbackJob(head, name, callback, readyTerms(run));
  const [{ places, pointer }, finished] = await Promise.all([placesOf(tables, ready.id), finishedRowOf(tables, ready.id)]);
  if (places.length > 0 || finished !== undefined) return;
  await settle(
    run,
    { kind: 'callback-missing', subject: batch, says: `it enqueued the callback ${name} as job ${ready.id}, which is nowhere` },
    {
      writes: {
        job: { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
        gone: nowhere(ready.id, pointer, (table, key) => table === 'jobs' && key['id'] === idKey(ready.id)['id']),
      },
      job: { ...ready },
    },
    ready,
  );
}
