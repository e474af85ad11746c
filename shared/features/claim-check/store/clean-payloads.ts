import { iso } from '../../../job/instant.ts';
import type { JobId } from '../../../job/job-id.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KeptPayload, PayloadStore } from '../../../ports/payload-store.ts';
import type { Tables } from '../../../ports/tables.ts';
import { CLEAN_CURSOR_KEY } from '../../../store/control-rows.ts';
import { findRow } from '../../../store/find-row.ts';
import { jobOfKey } from '../model/claim.ts';

/** What the cleaner needs. */
export interface CleanDeps {
  readonly tables: Tables;
  readonly payloads: PayloadStore;
  readonly clock: Clock;
}

/** What one run found in the payload store. */
export interface CleanReport {
  /** Payloads that no row refers to: removed. */
  readonly removed: number;
  /** A row refers to them. */
  readonly referred: number;
  /** Stored less than a day ago: their row may not be written yet. */
  readonly young: number;
  /** Not stored by Nightcrew: left alone. */
  readonly foreign: number;
  /** Whether the run came to the end; the next one continues where one that did not has stopped. */
  readonly complete: boolean;
}

/** A payload is stored minutes before its row, at most. */
const GRACE_MS = 86_400_000;
const AT_ONCE = 16;

/**
 * Removes the payloads that no row refers to: those of rows that were never written, of edits, of deletions. Stops after a page when `until` has
 * passed. Throws when a store does not answer; what is left is for the next run.
 */
export async function cleanPayloads(deps: CleanDeps, until: number): Promise<CleanReport> {
  const { tables, payloads, clock } = deps;
  const report = { removed: 0, referred: 0, young: 0, foreign: 0 };
  const row = await tables.get('control', CLEAN_CURSOR_KEY);
  let after = typeof row?.['after'] === 'string' && row['after'] !== '' ? row['after'] : undefined;
  do {
    const page = await payloads.list(after);
    await mapLimited(page.payloads, AT_ONCE, async (one) => void report[await clean(deps, one)]++);
    after = page.next;
    await tables.write({ op: 'put', table: 'control', row: { ...CLEAN_CURSOR_KEY, after: after ?? '', at: iso(clock.now()), ...report } });
  } while (after !== undefined && clock.now() < until);
  return { ...report, complete: after === undefined };
}

async function clean({ tables, payloads, clock }: CleanDeps, { key, storedAt }: KeptPayload): Promise<keyof Omit<CleanReport, 'complete'>> {
  const id = jobOfKey(key);
  if (id === undefined) return 'foreign';
  if (storedAt > clock.now() - GRACE_MS) return 'young';
  // Twice: a job that moves between tables all the time may be missed once.
  if ((await refers(tables, id, key)) || (await refers(tables, id, key))) return 'referred';
  await payloads.delete(key);
  return 'removed';
}

/** Whether the row of the job names the key, in whatever attribute: a damaged one may still be repaired. */
async function refers(tables: Tables, id: JobId, key: string): Promise<boolean> {
  const found = await findRow(tables, id);
  return found !== undefined && JSON.stringify(found.row).includes(key);
}
