import { errorText } from '../../shared/core/error-text.ts';
import { iso } from '../../shared/core/instant.ts';
import type { SuspendedJob } from '../../shared/core/job.ts';
import { leaves } from '../../shared/core/job-id.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { activate } from '../../shared/store/activate.ts';
import { heldCauseKey } from '../../shared/store/control-rows.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import { decodeSuspendedJob } from '../../shared/store/job-codec.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { SweeperParts } from './parts.ts';

/** A cause row is kept this long after it was last named, so that a job on its way into Suspended is never left without it. */
const CAUSE_IDLE_MS = 10 * 60_000;
const PARALLEL = 8;

/** Tries jobs again whose type no worker knew. Returns how many were made ready. */
export async function activateHeld(parts: SweeperParts, stopAt: number): Promise<number> {
  const causes = await parts.tables.query({ table: 'control', partition: 'held-cause', limit: 100 });
  let left = parts.deployment.settings.activationsPerRun;
  for (const row of causes.rows) {
    if (left <= 0 || parts.clock.now() >= stopAt) break;
    const { activated, found } = await activateCause(parts, String(row['cause']), left);
    left -= activated;
    if (found === 0) await forgetCause(parts, row);
  }
  return parts.deployment.settings.activationsPerRun - left;
}

async function activateCause(parts: SweeperParts, cause: string, most: number): Promise<{ activated: number; found: number }> {
  const now = parts.clock.now();
  let [activated, found] = [0, 0];
  await mapLimited(leaves(), PARALLEL, async (leaf) => {
    const page = await parts.tables.query({
      table: 'suspended',
      index: 'byCause',
      partition: `${cause}#${leaf}`,
      limit: Math.min(most, 500),
    });
    found += page.rows.length;
    for (const row of page.rows) {
      const due = typeof row['tryAt'] !== 'string' || row['tryAt'] <= iso(now);
      if (due && activated < most && (await activateOne(parts, String(row['id'])))) activated++;
    }
  });
  return { activated, found };
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

async function readOrSetAside({ tables, clock, journal }: SweeperParts, row: Row): Promise<SuspendedJob | undefined> {
  try {
    return decodeSuspendedJob(row);
  } catch (error) {
    const now = clock.now();
    if (await quarantine(tables, 'suspended', row, { error, now })) {
      journal.record({ event: 'quarantined', reason: 'suspended', error: errorText(error, now) });
    }
    return undefined;
  }
}

async function forgetCause(parts: SweeperParts, row: Row): Promise<void> {
  const seenAt = String(row['seenAt']);
  if (Date.parse(seenAt) > parts.clock.now() - CAUSE_IDLE_MS) return;
  const key = heldCauseKey(String(row['cause']));
  await parts.tables.write({ op: 'delete', table: 'control', key, condition: { test: 'equals', attribute: 'seenAt', value: seenAt } });
}
