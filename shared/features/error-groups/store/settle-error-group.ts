import { defined } from '../../../job/defined.ts';
import { groupSum, isQuiet, settledUpTo } from '../model/error-group.ts';
import { errorText } from '../../../job/error-text.ts';
import { iso } from '../../../job/instant.ts';
import { leaves } from '../../../job/job-id.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { all, unchanged } from '../../../store/conditions.ts';
import { decodeErrorGroup, errorGroupKey } from './error-group-rows.ts';
import { GROUP_REFUSED, type GroupDeps } from './error-groups.ts';

/** Beyond this a group is open, however many more there are. */
const MAX_COUNTED = 100;
const PARALLEL = 8;
const PAGE = 1_000;

/** How a count of the index goes about it: `atMost` ends it early, `gone` are ids that the index may still show. */
export interface OpenCount {
  readonly atMost?: number;
  readonly gone?: ReadonlySet<string>;
}

/** A count of the index and what it cost; it went no further than somewhat beyond `atMost`. */
export interface Counted {
  readonly count: number;
  readonly readUnits: number;
}

/** Current dead letters of a fault, counted in the index. */
export async function countOpen(
  tables: Tables,
  fingerprint: string,
  { atMost = Number.POSITIVE_INFINITY, gone = new Set() }: OpenCount = {},
): Promise<Counted> {
  const found = { count: 0, readUnits: 0 };
  await mapLimited(leaves(), PARALLEL, async (leaf) => {
    let after: RowKey | undefined;
    do {
      if (found.count > atMost) return;
      const page = await tables.query({
        table: 'deadLetters',
        index: 'byFingerprint',
        partition: `${fingerprint}#${leaf}`,
        limit: Math.min(PAGE, atMost + gone.size + 1),
        ...defined({ after }),
      });
      found.count += page.rows.filter(({ id }) => !gone.has(String(id))).length;
      found.readUnits += page.readUnits;
      after = page.cursor;
    } while (after !== undefined);
  });
  return found;
}

/**
 * Sets the count of a group right by the index, because counts may have been lost or doubled on their way: an incident must neither
 * stay open forever nor close too early. Skips a group that is changing; for more than a hundred only makes sure that the group is open.
 * `gone`: what left it just now. Gives the read units that it cost; never rejects.
 */
export async function settleGroup(deps: GroupDeps, row: Row, gone: ReadonlySet<string> = new Set()): Promise<number> {
  const { fingerprint } = decodeErrorGroup(row);
  try {
    const counted = await countOpen(deps.tables, fingerprint, { atMost: MAX_COUNTED, gone });
    await settleByCount(deps, row, counted.count, MAX_COUNTED);
    return counted.readUnits;
  } catch (error) {
    deps.journal.record({ event: 'store-failed', reason: `${GROUP_REFUSED}${fingerprint}`, error: errorText(error, deps.clock.now()) });
    return 0;
  }
}

/** Writes what was counted, up to `atMost`, unless the group has changed since or has just grown, for which the index may be late. */
export async function settleByCount({ tables, clock }: GroupDeps, row: Row, count: number, atMost: number): Promise<void> {
  const group = decodeErrorGroup(row);
  if (!isQuiet(group, clock.now())) return;
  const sum = groupSum(group);
  const open = count > atMost ? Math.max(count, sum) : count;
  const settled = open - (sum - group.settled);
  const counters = (['seen', 'redriven', 'deleted', 'settled'] as const).map((name) => unchanged(name, row[name]));
  await tables.write({
    op: 'update',
    table: 'control',
    key: errorGroupKey(group.fingerprint),
    set: { settled, settledAt: iso(settledUpTo(clock.now())) },
    condition: all({ test: 'present', attribute: 'lastSeen' }, ...counters),
  });
}
