import { defined } from '../../shared/core/defined.ts';
import { errorText } from '../../shared/core/error-text.ts';
import { iso, storedInstant } from '../../shared/core/instant.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { Row, RowKey } from '../../shared/ports/tables.ts';
import { sweepCursorKey } from '../../shared/store/control-rows.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { BacklogCheck } from './backlog-check.ts';
import { sweepFilter } from './judge.ts';
import type { SweeperDeps } from './deps.ts';
import { type Swept, sweepRow, type SweptRow } from './sweep-row.ts';

/** What a pass from one end of a segment to the other saw, in one run or several. Of jobs that wait for less than a minute only their number. */
export interface Pass {
  /** Ready and running. */
  readonly jobs: number;
  /** Ready for more than a minute. */
  readonly overdue: number;
  readonly oldestWaitMs: number;
  readonly at: number;
}

/** What one segment's run found. `passed`: it reached the end of the segment. */
export interface SegmentReport {
  /** The pass that ended last; absent before there was one. */
  readonly pass?: Pass;
  readonly counts: Partial<Record<Swept | 'failed', number>>;
  readonly readUnits: number;
  readonly passed: boolean;
  readonly oldestWaitMs: number;
  readonly waiting: number;
}

/** Scans a segment from where the last run stopped, as far as its share of read units and the time allow. */
export async function scanSegment(deps: SweeperDeps, backlog: BacklogCheck, segment: number, stopAt: number): Promise<SegmentReport> {
  const { clock, deployment, tables } = deps;
  const { sweepSegments: segments, sweepReadUnits, sweepPageSize, sweepSkewMs } = deployment.settings;
  const counts: Partial<Record<Swept | 'failed', number>> = {};
  const report = { counts, readUnits: 0, passed: false, oldestWaitMs: 0, waiting: 0 };
  const { start, under, last } = await readCursor(deps, segment);
  let after = start;
  let jobs = under.jobs;
  while (!report.passed && report.readUnits < sweepReadUnits / segments && clock.now() < stopAt) {
    const filter = sweepFilter(clock.now(), sweepSkewMs);
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
      if (waitingMs > 0) report.waiting++;
    }
    // A page that time cut off is looked at again by the next run.
    if (rows.length < page.rows.length) break;
    jobs += scanned;
    after = page.cursor;
    report.passed = after === undefined;
  }
  const seen: Pass = {
    jobs,
    overdue: under.overdue + report.waiting,
    oldestWaitMs: Math.max(under.oldestWaitMs, report.oldestWaitMs),
    at: clock.now(),
  };
  const pass = report.passed ? seen : last;
  const cursor = { start: after, under: report.passed ? NOTHING_SEEN : seen, last: pass };
  if (after?.['id'] !== start?.['id']) await writeCursor(deps, segment, cursor);
  return { ...report, ...defined({ pass }) };
}

type Settled = SweptRow | { readonly swept: 'failed'; readonly waitingMs: 0 };

/** Settles the rows of a page that time allows, then sends their hints together: one request for ten. */
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

/** The store refused or did not answer for one row; the next run finds it again. */
function failed(deps: SweeperDeps, error: unknown): Settled {
  deps.journal.record({ event: 'store-failed', error: errorText(error, deps.clock.now()) });
  return { swept: 'failed', waitingMs: 0 };
}

const NOTHING_SEEN: Pass = { jobs: 0, overdue: 0, oldestWaitMs: 0, at: 0 };

/** Where a segment's scan goes on, what the pass under way saw before that, and what the last whole one did. */
interface Cursor {
  readonly start: RowKey | undefined;
  readonly under: Pass;
  readonly last: Pass | undefined;
}

async function readCursor(deps: SweeperDeps, segment: number): Promise<Cursor> {
  const row = await deps.tables.get('control', sweepCursorKey(segment, deps.deployment.settings.sweepSegments));
  const start = typeof row?.['after'] === 'string' && row['after'] !== '' ? { id: row['after'] } : undefined;
  const last = row === undefined ? undefined : decodePass(row, 'last');
  return { start, under: (start && row && decodePass(row, 'under')) ?? NOTHING_SEEN, last };
}

async function writeCursor(deps: SweeperDeps, segment: number, { start, under, last }: Cursor): Promise<void> {
  const key = sweepCursorKey(segment, deps.deployment.settings.sweepSegments);
  const row = {
    ...key,
    after: start?.['id'] ?? '',
    ...encodePass(under, 'under'),
    ...(last === undefined ? {} : encodePass(last, 'last')),
  };
  await deps.tables.write({ op: 'put', table: 'control', row });
}

const encodePass = ({ jobs, overdue, oldestWaitMs, at }: Pass, of: 'under' | 'last'): Row => ({
  [`${of}Jobs`]: jobs,
  [`${of}Overdue`]: overdue,
  [`${of}OldestWaitMs`]: oldestWaitMs,
  [`${of}At`]: iso(at),
});

function decodePass(row: Row, of: 'under' | 'last'): Pass | undefined {
  const [jobs, overdue, oldestWaitMs, at] = [
    row[`${of}Jobs`],
    row[`${of}Overdue`],
    row[`${of}OldestWaitMs`],
    storedInstant(row[`${of}At`]),
  ];
  if (typeof jobs !== 'number' || typeof overdue !== 'number' || typeof oldestWaitMs !== 'number' || at === undefined) return undefined;
  return { jobs, overdue, oldestWaitMs, at };
}
