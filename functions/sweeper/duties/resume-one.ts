import { causeForLogs } from '../../../shared/features/rules/model/rules.ts';
import { jobRef } from '../../../shared/ports/journal.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import type { SuspendedJob } from '../../../shared/job/job.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { resume, type Resumed } from '../../../shared/store/resume.ts';
import { decodeSuspendedJob } from '../../../shared/store/job-codec.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { quarantineInGroup } from '../../../shared/store/burials.ts';
import type { SweeperDeps } from '../deps.ts';

/**
 * Resumes one job that is suspended for `cause`. The caller sends its hint; the queue gets `delayMs` more to deliver it.
 * Undefined if it is suspended for another cause by now, or the store does not answer: the next run tries again.
 */
export async function tryResume(deps: SweeperDeps, id: string, cause: string, delayMs = 0): Promise<Resumed | undefined> {
  try {
    return await resumeOne(deps, { id, cause, delayMs });
  } catch (error) {
    deps.journal.record({ event: 'store-failed', error: errorText(error, deps.clock.now()) });
    return undefined;
  }
}

async function resumeOne(
  deps: SweeperDeps,
  { id, cause, delayMs }: { readonly id: string; readonly cause: string; readonly delayMs: number },
): Promise<Resumed | undefined> {
  const { tables, clock, entropy, journal, deployment } = deps;
  const row = await tables.get('suspended', idKey(id));
  const seen = row && (await readOrQuarantine(deps, row));
  if (seen === undefined || seen.cause !== cause) return undefined;
  const { redispatchAfterMs, delayHorizonMs } = deployment.settings;
  const terms = { token: entropy.token(), now: clock.now() + delayMs, redispatchAfterMs, delayHorizonMs };
  const result = await resume(tables, seen, terms);
  if (result.result === 'lost') return undefined;
  journal.record({ event: 'resumed', worker: seen.worker, job: jobRef(seen), reason: causeForLogs(seen.cause) });
  return result;
}

async function readOrQuarantine(deps: SweeperDeps, row: Row): Promise<SuspendedJob | undefined> {
  try {
    return decodeSuspendedJob(row);
  } catch (error) {
    await quarantineInGroup(deps, { table: 'suspended', row, error });
    return undefined;
  }
}
