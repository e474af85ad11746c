import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { BacklogCheck } from './backlog-check.ts';
import { sweepFilter } from './judge.ts';
import type { SweeperDeps } from './deps.ts';
import type { Cursor, Pass } from './sweep-cursor.ts';
import { type Swept, sweepRow, type SweptRow } from './sweep-row.ts';
import { nothingSeen, WaitingCount } from './waiting-jobs.ts';

/** A segment, and where its scan continues. */
export interface SegmentStart extends Cursor {
  readonly segment: number;
  /** Types that have a bound. A pass counts those that had one when it began. */
  readonly types?: readonly string[];
}

/** The result of one run over one segment. `passed`: it reached the end of the segment. */
export interface SegmentReport {
  /** The last complete pass; absent before the first. */
  readonly pass?: Pass;
  readonly counts: Partial<Record<Swept | 'failed', number>>;
  readonly readUnits: number;
  readonly passed: boolean;
  /** The oldest wait, and how many wait too long: of the pass, or of the last one while this one is under way and shows less. */
  readonly oldestWaitMs: number;
  readonly waiting: number;
  readonly segment: number;
  /** What the next run needs. `moved`: it continues elsewhere than this one. */
  readonly cursor: Cursor;
  readonly moved: boolean;
  /** The pass is complete, and the stored one before it shows more. */
  readonly eased: boolean;
}

/** Scans a segment from where the last run stopped, within its share of read units and time. */
export async function scanSegment(
  deps: SweeperDeps,
  backlog: BacklogCheck,
  { segment, start, under, last, types }: SegmentStart,
  stopAt: number,
): Promise<SegmentReport> {
  const { clock, deployment, tables } = deps;
  const { sweepSegments: segments, sweepReadUnits, sweepPageSize, sweepSkewMs, backlogPatienceMs } = deployment.settings;
  const counts: Partial<Record<Swept | 'failed', number>> = {};
  const report = { counts, readUnits: 0, passed: false, oldestWaitMs: 0, waiting: 0 };
  const waiting = new WaitingCount(under?.waiting ?? nothingSeen(clock.now(), start === undefined ? types : []), backlogPatienceMs);
  let after = start;
  let jobs = under?.jobs ?? 0;
  while (!report.passed && report.readUnits < sweepReadUnits / segments && clock.now() < stopAt) {
    const filter = sweepFilter(clock.now(), sweepSkewMs, waiting.types);
    const page = await tables.scan({
      table: 'jobs',
      segment,
      segments,
      limit: sweepPageSize,
      filter,
      ...defined({ after }),
    });
    report.readUnits += page.readUnits;
    const scanned = page.scanned ?? page.rows.length;
    const rows = await sweepPage(deps, backlog, page.rows, stopAt);
    for (const { swept, waitingMs } of rows) {
      counts[swept] = (counts[swept] ?? 0) + 1;
      report.oldestWaitMs = Math.max(report.oldestWaitMs, waitingMs);
    }
    // If time ran out within a page, the next run reads and counts that page again.
    if (rows.length < page.rows.length) break;
    for (const { waitingMs, inQueue } of rows) {
      if (waitingMs > 0) report.waiting++;
      if (inQueue !== undefined) waiting.add(inQueue);
    }
    waiting.leaveOut(scanned - page.rows.length);
    jobs += scanned;
    after = page.cursor;
    report.passed = after === undefined;
  }
  const seen: Pass = {
    jobs,
    overdue: (under?.overdue ?? 0) + report.waiting,
    oldestWaitMs: Math.max(under?.oldestWaitMs ?? 0, report.oldestWaitMs),
    at: clock.now(),
    waiting: waiting.total,
  };
  const pass = report.passed ? seen : last;
  // What this run did not reach is as the last pass saw it: a job that waits for long is seen once in each pass, and an alarm looks at each run.
  const { oldestWaitMs, overdue } = report.passed ? seen : withLast(seen, last);
  const cursor = { start: after, under: report.passed ? undefined : seen, last: pass };
  const eased = report.passed && last !== undefined && (last.overdue > overdue || last.oldestWaitMs > oldestWaitMs);
  const moved = after?.['id'] !== start?.['id'];
  return { ...report, oldestWaitMs, waiting: overdue, ...defined({ pass }), segment, cursor, moved, eased };
}

/** The ages of a pass that is under way, or those of the last one where they are greater. */
const withLast = (seen: Pass, last: Pass | undefined): Pick<Pass, 'oldestWaitMs' | 'overdue'> => ({
  oldestWaitMs: Math.max(seen.oldestWaitMs, last?.oldestWaitMs ?? 0),
  overdue: Math.max(seen.overdue, last?.overdue ?? 0),
});

type Settled = SweptRow | { readonly swept: 'failed'; readonly waitingMs: 0; readonly inQueue?: undefined };

/** Settles the rows of a page until time runs out, then sends their hints, ten per request. */
async function sweepPage(deps: SweeperDeps, backlog: BacklogCheck, rows: readonly Row[], stopAt: number): Promise<readonly Settled[]> {
  const { sweepParallelWrites, sweepSegments } = deps.deployment.settings;
  const parallel = Math.max(1, Math.floor(sweepParallelWrites / sweepSegments));
  const settled = await mapLimited(rows, parallel, async (row): Promise<Settled | undefined> => {
    if (deps.clock.now() >= stopAt) return undefined;
    return sweepRow(deps, backlog, row).catch((error: unknown) => failed(deps, error));
  });
  const done = settled.filter((one) => one !== undefined);
  const ready = done.flatMap((one) => (one.swept === 'reset' && one.ready ? [one.ready] : []));
  await sendHints(deps, ready, deps.clock.now());
  return done;
}

/** A store request failed for one row; the next run finds it again. */
function failed(deps: SweeperDeps, error: unknown): Settled {
  deps.journal.record({ event: 'store-failed', error: errorText(error, deps.clock.now()) });
  return { swept: 'failed', waitingMs: 0 };
}
