import { openCount } from '../core/error-group.ts';
import { errorText } from '../core/error-text.ts';
import { leaves } from '../core/job-id.ts';
import { mapLimited } from '../core/map-limited.ts';
import type { Row, RowKey, Tables } from '../ports/tables.ts';
import { all, stillSays } from './conditions.ts';
import { decodeErrorGroup, errorGroupKey } from './error-group-rows.ts';
import { GROUP_REFUSED, type GroupParts } from './error-groups.ts';

/** A group that nobody died of for so long: the index has caught up with it. */
const QUIET_MS = 60_000;
/** Up to so many the index is asked whether the count is right. */
const FEW = 5;
/** Beyond this a group is open, however many more there are. */
const MOST_COUNTED = 100;
const PARALLEL = 8;
const PAGE = 1_000;

/** How a count of the index goes about it: `atMost` ends it early, `gone` are ids that the index may still show. */
export interface OpenCount {
  readonly atMost?: number;
  readonly gone?: ReadonlySet<string>;
}

/** Dead letters of a fault that lie there now, counted in the index, and what that cost. */
export async function countOpen(
  tables: Tables,
  fingerprint: string,
  { atMost = Number.POSITIVE_INFINITY, gone = new Set() }: OpenCount = {},
): Promise<{ readonly count: number; readonly readUnits: number }> {
  const found = { count: 0, readUnits: 0 };
  await mapLimited(leaves(), PARALLEL, async (leaf) => {
    let after: RowKey | undefined;
    do {
      if (found.count > atMost) return;
      const page = await tables.query({
        table: 'deadLetters',
        index: 'byFingerprint',
        partition: `${fingerprint}#${leaf}`,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      found.count += page.rows.filter(({ id }) => !gone.has(String(id))).length;
      found.readUnits += page.readUnits;
      after = page.cursor;
    } while (after !== undefined);
  });
  return found;
}

/**
 * Sets the count of a group right by the index when few are left of it, because counts may have been lost or doubled on their way: an
 * incident must not stay open for ever, nor close too early. Leaves alone a group that changes. `gone`: what left it just now. Never rejects.
 */
export async function settleGroup(parts: GroupParts, row: Row, gone: ReadonlySet<string>): Promise<void> {
  const group = decodeErrorGroup(row);
  const { seen, redriven, deleted, settled, fingerprint, lastSeen } = group;
  if (openCount(group) > FEW || parts.clock.now() - lastSeen < QUIET_MS) return;
  try {
    const { count } = await countOpen(parts.tables, fingerprint, { atMost: MOST_COUNTED, gone });
    const right = count - (seen - redriven - deleted);
    if (right === settled) return;
    const unchanged = (['seen', 'redriven', 'deleted', 'settled'] as const).map((name) => stillSays(name, row[name]));
    const key = errorGroupKey(fingerprint);
    await parts.tables.write({ op: 'update', table: 'control', key, set: { settled: right }, condition: all(...unchanged) });
  } catch (error) {
    parts.journal.record({ event: 'store-failed', reason: `${GROUP_REFUSED}${fingerprint}`, error: errorText(error, parts.clock.now()) });
  }
}
