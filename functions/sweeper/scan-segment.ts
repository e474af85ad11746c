import { errorText } from '../../shared/core/error-text.ts';
import type { RowKey } from '../../shared/ports/tables.ts';
import { sweepCursorKey } from '../../shared/store/control-rows.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { BacklogCheck } from './backlog-check.ts';
import { sweepFilter } from './judge.ts';
import type { SweeperParts } from './parts.ts';
import { type Swept, sweepRow } from './sweep-row.ts';

/** What one segment's run found. `passed`: it reached the end of the segment. */
export interface SegmentReport {
  readonly counts: Partial<Record<Swept | 'failed', number>>;
  readonly readUnits: number;
  readonly passed: boolean;
  readonly oldestWaitMs: number;
  readonly waiting: number;
}

/** Scans a segment from where the last run stopped, as far as its share of read units and the time allow. */
export async function scanSegment(parts: SweeperParts, backlog: BacklogCheck, segment: number, stopAt: number): Promise<SegmentReport> {
  const { clock, deployment, tables } = parts;
  const { sweepSegments: segments, sweepReadUnits, sweepPageSize, sweepParallelWrites, sweepSkewMs } = deployment.settings;
  const share = { units: sweepReadUnits / segments, writes: Math.max(1, Math.floor(sweepParallelWrites / segments)) };
  const report = { counts: {} as SegmentReport['counts'], readUnits: 0, passed: false, oldestWaitMs: 0, waiting: 0 };
  const start = await readCursor(parts, segment);
  let after = start;
  while (!report.passed && report.readUnits < share.units && clock.now() < stopAt) {
    const filter = sweepFilter(clock.now(), sweepSkewMs);
    const page = await tables.scan({
      table: 'jobs',
      segment,
      segments,
      limit: sweepPageSize,
      filter,
      ...(after === undefined ? {} : { after }),
    });
    report.readUnits += page.readUnits;
    await mapLimited(page.rows, share.writes, async (row) => {
      const { swept, waitingMs } = await sweepRow(parts, backlog, row).catch((error: unknown) => failed(parts, error));
      report.counts[swept] = (report.counts[swept] ?? 0) + 1;
      report.oldestWaitMs = Math.max(report.oldestWaitMs, waitingMs);
      if (waitingMs > 0) report.waiting++;
    });
    after = page.cursor;
    report.passed = after === undefined;
  }
  if (after !== start) await writeCursor(parts, segment, after);
  return report;
}

/** The store refused or did not answer for one row; the next run finds it again. */
function failed(parts: SweeperParts, error: unknown): { swept: 'failed'; waitingMs: number } {
  parts.journal.record({ event: 'store-failed', error: errorText(error, parts.clock.now()) });
  return { swept: 'failed', waitingMs: 0 };
}

async function readCursor(parts: SweeperParts, segment: number): Promise<RowKey | undefined> {
  const row = await parts.tables.get('control', sweepCursorKey(segment, parts.deployment.settings.sweepSegments));
  return typeof row?.['after'] === 'string' && row['after'] !== '' ? { id: row['after'] } : undefined;
}

async function writeCursor(parts: SweeperParts, segment: number, after: RowKey | undefined): Promise<void> {
  const key = sweepCursorKey(segment, parts.deployment.settings.sweepSegments);
  await parts.tables.write({ op: 'put', table: 'control', row: { ...key, after: after?.['id'] ?? '' } });
}
