import { defined } from '../../../shared/core/defined.ts';
import { mapLimited } from '../../../shared/core/map-limited.ts';
import { hintFor } from '../../../shared/core/hint.ts';
import { iso, storedInstant } from '../../../shared/core/instant.ts';
import { leaves } from '../../../shared/core/job-id.ts';
import { LIMITS } from '../../../shared/core/limits.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import type { Resumed } from '../../../shared/store/activate.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { heldCauseKey } from '../../../shared/store/control-rows.ts';
import { activateQuietly } from './activate-one.ts';
import type { SweeperDeps } from '../deps.ts';

const PARALLEL = 8;
const PAGE = 200;
/** Jobs that are let go before their hints are sent: what is let go without a hint waits for the sweeper to notice. */
const TOGETHER = 50;

/** How many jobs of a cause one run lets go, and when their hints are due, so that they start at the rate that was asked for. */
interface Pace {
  readonly most: number;
  delayMs(nth: number): number;
}

/** What a run found and let go. */
export interface CauseReport {
  readonly activated: number;
  readonly found: number;
}

/**
 * Lets jobs go whose suspension is over, oldest first, `share` at most, or as many as the stored rate allows until the next run.
 * Only the hints are spread: no job is due any later than it was.
 */
export async function releaseCause(deps: SweeperDeps, row: Row, share: number, stopAt: number): Promise<CauseReport> {
  const cause = String(row['sk']);
  const pace = await claimPace(deps, row, share);
  if (pace === undefined) return NOBODY_LOOKED;
  let [activated, found, pages] = [0, 0, 0];
  let cursors: ReadonlyMap<string, RowKey | undefined> | undefined = new Map(leaves().map((leaf) => [leaf, undefined]));
  while (cursors !== undefined && cursors.size > 0 && activated < pace.most && deps.clock.now() < stopAt) {
    const page = await oldest(deps, cause, cursors, pace.most - activated);
    pages++;
    found += page.ids.length;
    const ids = page.ids.slice(0, pace.most - activated);
    for (let at = 0; at < ids.length && deps.clock.now() < stopAt; at += TOGETHER) {
      const first = activated;
      const freed = await mapLimited(ids.slice(at, at + TOGETHER), PARALLEL, async (id, index) => {
        const delayMs = pace.delayMs(first + index);
        return { delayMs, went: await activateQuietly(deps, id, cause, delayMs) };
      });
      await sendSpread(deps, freed);
      activated += freed.filter(({ went }) => went !== undefined).length;
    }
    cursors = page.cursors;
  }
  return pages === 0 ? NOBODY_LOOKED : { activated, found };
}

/** Without room or time nobody looked, so nobody may say that there is nothing. */
const NOBODY_LOOKED: CauseReport = { activated: 0, found: 1 };

/** A rate is claimed for the time until the next run, once: undefined for a doubled tick, which finds it taken and lets nothing go. */
async function claimPace(deps: SweeperDeps, row: Row, share: number): Promise<Pace | undefined> {
  const now = deps.clock.now();
  // Executors may go by rules that are older than the activation for a while.
  const early = Math.max(0, (storedInstant(row['releaseFrom']) ?? now) - now);
  const rate = row['ratePerSecond'];
  if (typeof rate !== 'number' || !(rate > 0)) return { most: share, delayMs: () => early };
  const span = Math.min(deps.deployment.settings.sweeperIntervalMs, LIMITS.queueDelayMs);
  const taken = storedInstant(row['releasedUntil']) ?? now;
  const start = Math.max(now, taken);
  const most = Math.min(share, Math.max(1, Math.floor((rate * span) / 1000)));
  if (start - now > span / 2) return undefined;
  const claimed = await deps.tables.write({
    op: 'update',
    table: 'control',
    key: heldCauseKey(String(row['sk'])),
    set: { releasedUntil: iso(start + span) },
    condition: unchanged('releasedUntil', row['releasedUntil']),
  });
  if (!claimed.applied) return undefined;
  return { most, delayMs: (nth) => early + start - now + Math.floor((nth * 1000) / rate) };
}

interface OldestPage {
  readonly ids: readonly string[];
  /** Of the leaves that have more. */
  readonly cursors: ReadonlyMap<string, RowKey | undefined>;
}

/** The next page of each leaf, as one list in the order in which they were suspended. */
async function oldest(
  deps: SweeperDeps,
  cause: string,
  cursors: ReadonlyMap<string, RowKey | undefined>,
  wanted: number,
): Promise<OldestPage> {
  const pages = await mapLimited([...cursors], PARALLEL, async ([leaf, after]) => ({
    leaf,
    page: await deps.tables.query({
      table: 'suspended',
      index: 'byCause',
      partition: `${cause}#${leaf}`,
      limit: Math.min(PAGE, wanted),
      ...defined({ after }),
    }),
  }));
  const rows = pages.flatMap(({ page }) => page.rows);
  // Ids sort by due time, which decides between those that one batch met at once.
  const placeOf = (row: Row): string => `${row['suspendedAt']}${row['id']}`;
  const inOrder = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const more = pages.flatMap(({ leaf, page }) => (page.cursor === undefined ? [] : [[leaf, page.cursor] as const]));
  return { ids: inOrder.map((row) => String(row['id'])), cursors: new Map(more) };
}

/** The sweeper's own next run finds a job whose hint was not taken. */
async function sendSpread(
  deps: SweeperDeps,
  freed: readonly { readonly went: Resumed | undefined; readonly delayMs: number }[],
): Promise<void> {
  const now = deps.clock.now();
  const hints = freed.flatMap(({ went, delayMs }) => {
    if (went?.result !== 'ready') return [];
    const hint = hintFor(went.job, now);
    return [{ ...hint, delayMs: Math.max(hint.delayMs, Math.min(delayMs, LIMITS.queueDelayMs)) }];
  });
  if (hints.length === 0) return;
  for (const hint of await deps.hints.send(hints)) deps.journal.record({ event: 'send-failed', worker: hint.worker });
}
