import { errorText } from '../../shared/core/error-text.ts';
import { iso, storedInstant } from '../../shared/core/instant.ts';
import type { SuspendedJob } from '../../shared/core/job.ts';
import { leaves } from '../../shared/core/job-id.ts';
import type { Row, RowKey } from '../../shared/ports/tables.ts';
import { activate } from '../../shared/store/activate.ts';
import { stillSays } from '../../shared/store/conditions.ts';
import { heldCauseKey } from '../../shared/store/control-rows.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import { decodeSuspendedJob } from '../../shared/store/job-codec.ts';
import { idKey } from '../../shared/store/rows.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import { setAside } from '../../shared/store/set-aside.ts';
import type { SweeperParts } from './parts.ts';

/** A cause row is kept this long after it was last named, so that a job on its way into Suspended is never left without it. */
const CAUSE_IDLE_MS = 10 * 60_000;
const PARALLEL = 8;
const PAGE = 200;

/** Tries jobs again whose type no worker knew. Returns how many were made ready. */
export async function activateHeld(parts: SweeperParts, stopAt: number): Promise<number> {
  const { rows } = await parts.tables.query({ table: 'control', partition: 'held-cause', limit: 1_000 });
  // From another cause each time and with a share for each, so that one with many jobs does not starve the others.
  const first = Math.floor(parts.entropy.random() * rows.length);
  const causes = [...rows.slice(first), ...rows.slice(0, first)];
  let [activated, left] = [0, parts.deployment.settings.activationsPerRun];
  for (const [index, row] of causes.entries()) {
    if (left <= 0 || parts.clock.now() >= stopAt) break;
    const share = Math.ceil(left / (causes.length - index));
    const cause = await activateCause(parts, causeOf(row), share, stopAt);
    activated += cause.activated;
    left -= cause.activated;
    if (cause.found === 0) await forgetCause(parts, row);
  }
  return activated;
}

interface CauseReport {
  activated: number;
  found: number;
}

async function activateCause(parts: SweeperParts, cause: string, most: number, stopAt: number): Promise<CauseReport> {
  const report: CauseReport = { activated: 0, found: 0 };
  // Taken before the store is asked: the leaves run side by side and must not go beyond the share together.
  let free = most;
  await mapLimited(leaves(), PARALLEL, async (leaf) => {
    let after: RowKey | undefined;
    do {
      const page = await parts.tables.query({
        table: 'suspended',
        index: 'byCause',
        partition: `${cause}#${leaf}`,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      report.found += page.rows.length;
      for (const row of page.rows) {
        if (free === 0 || parts.clock.now() >= stopAt) return;
        if (typeof row['tryAt'] === 'string' && row['tryAt'] > iso(parts.clock.now())) continue;
        free--;
        if (await activateQuietly(parts, String(row['id']))) report.activated++;
        else free++;
      }
      after = page.cursor;
    } while (after !== undefined);
  });
  return report;
}

/** A job that the store does not let go now is tried again by the next run; the others go on. */
async function activateQuietly(parts: SweeperParts, id: string): Promise<boolean> {
  try {
    return await activateOne(parts, id);
  } catch (error) {
    parts.journal.record({ event: 'store-failed', error: errorText(error, parts.clock.now()) });
    return false;
  }
}

async function activateOne(parts: SweeperParts, id: string): Promise<boolean> {
  const { tables, clock, entropy, journal, deployment } = parts;
  const row = await tables.get('suspended', idKey(id));
  const seen = row && (await readOrSetAside(parts, row));
  if (seen === undefined) return false;
  const now = clock.now();
  const result = await activate(tables, seen, { token: entropy.token(), now, redispatchAfterMs: deployment.settings.redispatchAfterMs });
  if (result.result !== 'ready') return false;
  await sendHints(parts, [result.job], now);
  journal.record({ event: 'activated', worker: seen.worker, reason: seen.cause });
  return true;
}

async function readOrSetAside(parts: SweeperParts, row: Row): Promise<SuspendedJob | undefined> {
  try {
    return decodeSuspendedJob(row);
  } catch (error) {
    await setAside(parts, { table: 'suspended', row, error });
    return undefined;
  }
}

/** The row's key says the cause; what else it says may be wrong. */
function causeOf(row: Row): string {
  return String(row['sk']);
}

async function forgetCause(parts: SweeperParts, row: Row): Promise<void> {
  const { seenAt } = row;
  if ((storedInstant(seenAt) ?? 0) > parts.clock.now() - CAUSE_IDLE_MS) return;
  const key = heldCauseKey(causeOf(row));
  await parts.tables.write({ op: 'delete', table: 'control', key, condition: stillSays('seenAt', seenAt) });
}
