import { toldCause } from '../../../shared/features/rules/model/rules.ts';
import { jobRef } from '../../../shared/ports/journal.ts';
import { errorText } from '../../../shared/core/error-text.ts';
import type { SuspendedJob } from '../../../shared/core/job.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { activate, type Resumed } from '../../../shared/store/activate.ts';
import { decodeSuspendedJob } from '../../../shared/store/job-codec.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { quarantineInGroup } from '../../../shared/features/error-groups/store/quarantine-in-group.ts';
import type { SweeperDeps } from '../deps.ts';

/**
 * Lets one job go that lies in Suspended for `cause`; its hint is the caller's, and its queue is given `delayMs` more to deliver it.
 * Undefined when it lies there for something else by now, or the store does not let it go: the next run tries again.
 */
export async function activateQuietly(deps: SweeperDeps, id: string, cause: string, delayMs = 0): Promise<Resumed | undefined> {
  try {
    return await activateOne(deps, { id, cause, delayMs });
  } catch (error) {
    deps.journal.record({ event: 'store-failed', error: errorText(error, deps.clock.now()) });
    return undefined;
  }
}

async function activateOne(
  deps: SweeperDeps,
  { id, cause, delayMs }: { readonly id: string; readonly cause: string; readonly delayMs: number },
): Promise<Resumed | undefined> {
  const { tables, clock, entropy, journal, deployment } = deps;
  const row = await tables.get('suspended', idKey(id));
  const seen = row && (await readOrSetAside(deps, row));
  if (seen === undefined || seen.cause !== cause) return undefined;
  const { redispatchAfterMs, delayHorizonMs } = deployment.settings;
  const terms = { token: entropy.token(), now: clock.now() + delayMs, redispatchAfterMs, delayHorizonMs };
  const result = await activate(tables, seen, terms);
  if (result.result === 'lost') return undefined;
  journal.record({ event: 'activated', worker: seen.worker, job: jobRef(seen), reason: toldCause(seen.cause) });
  return result;
}

async function readOrSetAside(deps: SweeperDeps, row: Row): Promise<SuspendedJob | undefined> {
  try {
    return decodeSuspendedJob(row);
  } catch (error) {
    await quarantineInGroup(deps, { table: 'suspended', row, error });
    return undefined;
  }
}
