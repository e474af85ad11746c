import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { sha256 } from '../../shared/job/hash.ts';
import { checkScheduleDefinitions, definitionHash, type ScheduleDefinition } from '../../shared/features/schedules/model/definition.ts';
import { decodeSchedule, scheduleSyncKey } from '../../shared/features/schedules/store/schedule-rows.ts';
import { listScheduleRows } from '../../shared/features/schedules/store/list-schedules.ts';
import { deleteSchedule, putSchedule } from '../../shared/features/schedules/store/schedules.ts';
import type { Row } from '../../shared/ports/tables.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import { scheduleTerms } from './fire-occurrences.ts';
import type { AcquirerDeps } from './deps.ts';

const PAGE = 1_000;
/** Longer than most gradual deployments, during which the releases would replace each other's schedules. */
const SYNC_EVERY_MS = 3_600_000;

/** The schedules that a synchronisation changed. */
export interface SyncReport {
  readonly put: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Synchronises the schedules declared in code when a sandbox starts, and every hour after that: another release may have written its own
 * before it was rolled back. Only one of several acquirers does it. A failure is retried at the next tick and does not stop timers from firing.
 */
export function createScheduleSync(declared: () => unknown): (deps: AcquirerDeps, share: AcquirerShare) => Promise<void> {
  let definitions: readonly ScheduleDefinition[] | undefined;
  let syncedAt = Number.NEGATIVE_INFINITY;
  return async (deps, { acquirer }) => {
    const now = deps.clock.now();
    if (acquirer !== 0 || now - syncedAt < SYNC_EVERY_MS) return;
    try {
      definitions ??= checkScheduleDefinitions(declared());
      await syncSchedules(deps, definitions);
      syncedAt = now;
    } catch (error) {
      deps.journal.record({ event: 'store-failed', reason: 'declared-schedules', error: errorText(error, deps.clock.now()) });
    }
  };
}

/**
 * Writes the schedules declared in code to Control: new or changed ones are put, those that an earlier version declared and this
 * one does not are removed. Schedules created by operators are left alone. Costs one read if nothing has changed since the last time.
 * Safe to repeat and to run concurrently: each change is conditional on the row that was read.
 */
export async function syncSchedules(deps: AcquirerDeps, declared: readonly ScheduleDefinition[]): Promise<SyncReport> {
  const { tables } = deps;
  const hash = declared.length === 0 ? '' : sha256(declared.map(definitionHash).join());
  const last = await tables.get('control', scheduleSyncKey);
  if (String(last?.['hash'] ?? '') === hash) return { put: [], deleted: [] };
  const rows = await allRows(deps);
  const known = new Map(rows.map((row) => [String(row['sk']), row]));
  const changed = declared.filter((one) => !isSame(known.get(one.name), one));
  for (const definition of changed) await putSchedule(tables, definition, 'code', scheduleTerms(deps));
  const names = new Set(declared.map(({ name }) => name));
  const gone = rows.filter((row) => row['origin'] === 'code' && !names.has(String(row['sk']))).map((row) => String(row['sk']));
  for (const name of gone) await deleteSchedule(tables, name, 'code', scheduleTerms(deps));
  // Written last, so that a run that failed half-way is repeated.
  await tables.write({ op: 'put', table: 'control', row: { ...scheduleSyncKey, hash } });
  return { put: changed.map(({ name }) => name), deleted: gone };
}

function isSame(row: Row | undefined, definition: ScheduleDefinition): boolean {
  try {
    return row !== undefined && row['origin'] === 'code' && decodeSchedule(row).hash === definitionHash(definition);
  } catch {
    return false;
  }
}

async function allRows({ tables }: AcquirerDeps): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: string | undefined;
  do {
    const page = await listScheduleRows(tables, { limit: PAGE, ...defined({ after }) });
    rows.push(...page.rows);
    after = page.after;
  } while (after !== undefined);
  return rows;
}
