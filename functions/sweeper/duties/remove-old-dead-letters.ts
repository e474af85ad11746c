import { defined } from '../../../shared/job/defined.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import { iso, storedInstant } from '../../../shared/job/instant.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { auditWrite } from '../../../shared/features/audit/store/audit.ts';
import { leaveGroup } from '../../../shared/features/error-groups/store/error-groups.ts';
import { daysFor, isOver, newestOver, type Retention } from '../../../shared/features/retention/model/retention.ts';
import { groupOf, isNoted, removeOld } from '../../../shared/features/retention/store/remove-old.ts';
import { retentionOf } from '../../../shared/features/retention/store/retention-rows.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import type { SweeperDeps, SweepNotes } from '../deps.ts';

/** What one run may spend on reading DeadLetters, so that a table of any size costs the same. */
const READ_UNITS = 250;
const PAGE = 200;
const PARALLEL = 8;
/** Between two passes through the table. */
const PAUSE_MS = 10 * 60_000;
const CURSOR: RowKey = { pk: 'sweep-cursor', sk: 'retention' };

/** The state of one run. */
interface Pass {
  readonly retention: Retention;
  readonly now: number;
  readonly stopAt: number;
  /** Whether the error group of a fingerprint has a note or an owner. */
  readonly noted: Map<string, boolean>;
  /** How many left each error group. */
  readonly left: Map<string, number>;
}

/**
 * Removes dead letters that are older than the rules of operators, or the setting of the deployment, keep them. Goes through DeadLetters from
 * where the last run stopped, until a run has used 250 read units. Without a rule it reads nothing: the rules came with the acquire locks.
 * Where they could not be read it removes nothing. Returns how many were removed.
 */
export async function removeOldDeadLetters(deps: SweeperDeps, stopAt: number, { retentionRows }: SweepNotes): Promise<number> {
  const { tables, clock, deployment } = deps;
  if (retentionRows === undefined) return 0;
  const retention = retentionOf(retentionRows, deployment.settings.deadLetterDays);
  const now = clock.now();
  const newest = newestOver(retention, now);
  if (newest === undefined) return 0;
  const cursor = await tables.get('control', CURSOR);
  if (isPause(cursor, now)) return 0;
  const pass: Pass = { retention, now, stopAt, noted: new Map(), left: new Map() };
  const filter = { test: 'atMost', attribute: 'failedAt', value: iso(newest) } as const;
  let after: RowKey | undefined = typeof cursor?.['after'] === 'string' ? { id: cursor['after'] } : undefined;
  let [readUnits, isWhole] = [0, false];
  do {
    const page = await tables.scan({ table: 'deadLetters', segment: 0, segments: 1, limit: PAGE, filter, ...defined({ after }) });
    readUnits += page.readUnits;
    await removePage(deps, pass, page.rows);
    if (clock.now() >= stopAt) break;
    after = page.cursor;
    isWhole = after === undefined;
  } while (!isWhole && readUnits < READ_UNITS);
  await mapLimited([...pass.left], PARALLEL, async ([fingerprint, deleted]) => leaveGroup(deps, fingerprint, { redriven: 0, deleted }));
  const place = isWhole ? { passedAt: iso(now) } : defined({ after: after?.['id'] });
  await tables.write({ op: 'put', table: 'control', row: { ...CURSOR, ...place } });
  return [...pass.left.values()].reduce((sum, count) => sum + count, 0);
}

/** Whether the last pass ended a moment ago. An end in the future was written by a clock that was wrong. */
function isPause(cursor: Row | undefined, now: number): boolean {
  const passedAt = storedInstant(cursor?.['passedAt']);
  return passedAt !== undefined && passedAt <= now && now - passedAt < PAUSE_MS;
}

async function removePage(deps: SweeperDeps, pass: Pass, rows: readonly Row[]): Promise<void> {
  await mapLimited(rows, PARALLEL, async (row) => {
    if (deps.clock.now() >= pass.stopAt || !isOver(row, pass.retention, pass.now)) return;
    try {
      await removeOne(deps, pass, row);
    } catch (error) {
      // The next pass finds it again.
      deps.journal.record({ event: 'store-failed', reason: 'retention', error: errorText(error, deps.clock.now()) });
    }
  });
}

async function removeOne({ tables, entropy }: SweeperDeps, pass: Pass, row: Row): Promise<void> {
  const fingerprint = String(row['fingerprint']);
  const noted = pass.noted.get(fingerprint) ?? isNoted(await tables.get('control', groupOf(row)));
  pass.noted.set(fingerprint, noted);
  if (noted) return;
  const token = entropy.token();
  const { id, type, tenant, failedAt } = row;
  const kept = `failed ${String(failedAt)}, kept for ${daysFor(pass.retention, type)} days, fingerprint ${fingerprint}`;
  const act = { verb: 'retention', actor: 'sweeper', at: pass.now, jobId: String(id), type: String(type), detail: kept };
  const records = [auditWrite({ ...act, ...(typeof tenant === 'string' ? { tenant } : {}) }, token)];
  if (await removeOld(tables, row, { token, records })) pass.left.set(fingerprint, (pass.left.get(fingerprint) ?? 0) + 1);
}
