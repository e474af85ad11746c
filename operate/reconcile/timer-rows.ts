import { storedInstant } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { limitPartition, listingKey, parkedPointerRow } from '../../shared/store/parked-rows.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { noRow, unchanged } from '../../shared/store/conditions.ts';
import { movedRow } from '../../shared/store/control-rows.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { readyRow } from '../../shared/store/ready-row.ts';
import { isParked, jobRow } from '../../shared/store/rows.ts';
import type { Place } from './rows-of-job.ts';
import { readyTerms, type ReconcileRun, settle } from './run.ts';

const PARTITION = limitPartition('');

/** The hash of the limit under which a row of Timers is parked. */
const limitOf = (row: Row): string => String(row['shard']).slice(PARTITION.length);

/** The pointer to a timer that does not lie where its id says. */
export function pointerTo(id: JobId, row: Row): Row | undefined {
  const at = storedInstant(String(row['due']).split('#')[0]);
  if (at === undefined) return undefined;
  return isParked(row['shard']) ? parkedPointerRow(id, limitOf(row), at) : movedRow(id, at);
}

/** Control is older than Timers, or younger: a pointer is missing, or leads to where the timer lay before or after. */
export async function writePointer(run: ReconcileRun, id: JobId, place: Place, seen: Row | undefined): Promise<void> {
  const row = pointerTo(id, place.row);
  if (row === undefined) return;
  run.repairedBefore.add(id);
  const says = `it lies at ${place.key['shard']} ${place.key['due']}, and ${seen === undefined ? 'no pointer leads there' : 'its pointer leads elsewhere'}`;
  await settle(
    run,
    { kind: 'unreachable-timer', subject: id, says },
    {
      rests: [place],
      writes: { pointer: { op: 'put', table: 'control', row, condition: unchanged('due', seen?.['due']) } },
      job: place.row,
    },
  );
}

/** Its limit is not listed, so no acquirer would release it. The executor that receives it parks it again if there is no room. */
export async function releaseUnlisted(run: ReconcileRun, id: JobId, place: Place): Promise<void> {
  if ((await run.deps.tables.get('control', listingKey(limitOf(place.row)))) !== undefined) return;
  const ready = readyRow(decodeJob(place.row), readyTerms(run));
  await settle(
    run,
    { kind: 'parked-unlisted', subject: id, says: `its limit ${limitOf(place.row)} is not listed` },
    { removes: [place], writes: { job: { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') } }, job: place.row },
    ready,
  );
}
