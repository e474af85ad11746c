import { iso } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { heldCauseKey } from '../../shared/store/control-rows.ts';
import { BREAKPOINT } from '../../shared/store/suspend.ts';
import type { Place } from './rows-of-job.ts';
import { type ReconcileRun, settle } from './run.ts';

/** Lists the cause of a suspended job, so that the sweeper lets the job go when the suspension is over. Only an operator ends a breakpoint. */
export async function listCauseOf(run: ReconcileRun, id: JobId, place: Place): Promise<void> {
  const { cause } = place.row;
  if (typeof cause !== 'string' || cause === '' || cause === BREAKPOINT) return;
  const key = heldCauseKey(cause);
  if ((await run.deps.tables.get('control', key)) !== undefined) return;
  const set = { cause, seenAt: iso(run.deps.clock.now()) };
  await settle(
    run,
    { kind: 'suspended-unlisted', subject: id, says: `its cause ${cause} is not listed` },
    { rests: [place], writes: { cause: { op: 'update', table: 'control', key, set } }, job: place.row },
  );
}
