import { defined } from '../../../shared/job/defined.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { hintFor } from '../../../shared/job/hint.ts';
import { iso, storedInstant } from '../../../shared/job/instant.ts';
import { leaves } from '../../../shared/job/job-id.ts';
import { LIMITS } from '../../../shared/job/size-limits.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import type { Resumed } from '../../../shared/store/resume.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { heldCauseKey } from '../../../shared/store/control-rows.ts';
import { tryResume } from './resume-one.ts';
import type { SweeperDeps } from '../deps.ts';

const PARALLEL = 8;
const PAGE = 200;
/** Jobs resumed per round of hints: a resumed job without a hint waits until the sweeper notices it. */
const TOGETHER = 50;

/** How many jobs of a cause one run resumes, and when their hints are due, so that they start at the requested rate. */
interface Pace {
  readonly most: number;
  delayMs(nth: number): number;
}

/** The jobs that a run found and resumed. */
export interface CauseReport {
  readonly resumed: number;
  readonly found: number;
}

/**
 * Resumes jobs whose suspension has ended, oldest first: at most `share`, or as many as the stored rate allows until the next run.
 * Only the hints are spread: the due times of the jobs do not change.
 */
export async function resumeScope(deps: SweeperDeps, row: Row, share: number, stopAt: number): Promise<CauseReport> {
  const cause = String(row['sk']);
  const pace = await claimPace(deps, row, share);
  if (pace === undefined) return NOBODY_LOOKED;
  let [resumed, found, pages] = [0, 0, 0];
  let cursors: ReadonlyMap<string, RowKey | undefined> | undefined = new Map(leaves().map((leaf) => [leaf, undefined]));
  while (cursors !== undefined && cursors.size > 0 && resumed < pace.most && deps.clock.now() < stopAt) {
    const page = await oldest(deps, cause, cursors, pace.most - resumed);
    pages++;
    found += page.ids.length;
    const ids = page.ids.slice(0, pace.most - resumed);
    for (let at = 0; at < ids.length && deps.clock.now() < stopAt; at += TOGETHER) {
      const first = resumed;
      const freed = await mapLimited(ids.slice(at, at + TOGETHER), PARALLEL, async (id, index) => {
        const delayMs = pace.delayMs(first + index);
        return { delayMs, went: await tryResume(deps, id, cause, delayMs) };
      });
      await sendSpread(deps, freed);
      resumed += freed.filter(({ went }) => went !== undefined).length;
    }
    cursors = page.cursors;
  }
  return pages === 0 ? NOBODY_LOOKED : { resumed, found };
}

/** Without room or time nothing was read, so the cause may still have jobs. */
const NOBODY_LOOKED: CauseReport = { resumed: 0, found: 1 };

/** Claims the rate until the next run, once. Undefined for a duplicate tick, which finds it taken and resumes nothing. */
async function claimPace(deps: SweeperDeps, row: Row, share: number): Promise<Pace | undefined> {
  const now = deps.clock.now();
  // For a while executors may use cached rules from before the resume.
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
  /** The leaves that have more. */
  readonly cursors: ReadonlyMap<string, RowKey | undefined>;
}

/** The next page of each leaf, merged in the order of suspension. */
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
  // Ids sort by due time, which breaks ties between jobs suspended at the same instant.
  const placeOf = (row: Row): string => `${row['suspendedAt']}${row['id']}`;
  const inOrder = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const more = pages.flatMap(({ leaf, page }) => (page.cursor === undefined ? [] : [[leaf, page.cursor] as const]));
  return { ids: inOrder.map((row) => String(row['id'])), cursors: new Map(more) };
}

/** The sweeper's next run finds a job whose hint could not be sent. */
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
