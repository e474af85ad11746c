import { defined } from '../../shared/core/defined.ts';
import { errorText } from '../../shared/core/error-text.ts';
import { StoreUnavailableError } from '../../shared/core/errors.ts';
import { iso } from '../../shared/core/instant.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { backlogCheck } from './backlog-check.ts';
import { DUTIES } from './duties.ts';
import type { SweeperDeps } from './deps.ts';
import { type Pass, scanSegment, type SegmentReport } from './scan-segment.ts';

/** What a run did, by row. */
export interface SweepReport {
  readonly counts: SegmentReport['counts'];
  readonly readUnits: number;
  readonly activated: number;
  /** What lies in Jobs, by the last whole pass; absent as long as a segment had none. */
  readonly seen?: Pass;
  /** Segments whose end was reached; all of them means that the whole table was seen in this run or since the last ones. */
  readonly passedSegments: number;
}

const STOP_BEFORE_MS = 5_000;

/**
 * Scans Jobs for leases that ran out, which are reset or buried, then does its duties. Throws StoreUnavailableError when not a
 * single segment could be looked at.
 */
export async function sweep(deps: SweeperDeps, invocation: Invocation): Promise<SweepReport> {
  const { clock, deployment } = deps;
  const stopAt = invocation.deadlineAt - STOP_BEFORE_MS;
  const backlog = backlogCheck(deps);
  const segments = Array.from({ length: deployment.settings.sweepSegments }, (_, segment) => segment);
  const reports: SegmentReport[] = [];
  await Promise.all(
    segments.map((segment) =>
      guarded(deps, `segment#${segment}`, async () => void reports.push(await scanSegment(deps, backlog, segment, stopAt))),
    ),
  );
  const done = new Map<string, number>();
  for (const { name, run } of DUTIES) await guarded(deps, name, async () => void done.set(name, await run(deps, stopAt)));
  const seen = reports.length < segments.length ? undefined : sumOfPasses(reports);
  const report = { ...total(reports, done.get('held-causes') ?? 0), ...defined({ seen }) };
  // A sweeper that saw nothing is as good as dead: it fails, and the alarm is the absence of its heartbeat.
  if (reports.length === 0) throw new StoreUnavailableError('sweep any segment', new Error('every scan failed; each is logged'));
  tellAges(deps, reports);
  const { readUnits, passedSegments, counts } = report;
  const told = seen === undefined ? {} : { jobs: seen.jobs, overdue: seen.overdue, oldestWaitMs: seen.oldestWaitMs, seenAt: iso(seen.at) };
  const beaten = { readUnits, passedSegments, ...counts, ...told };
  await guarded(deps, 'heartbeat', async () => writeHeartbeat(deps.tables, 'sweeper', clock.now(), beaten));
  return report;
}

/** Ages are told only when every segment was read: a zero that nobody looked for would end an alarm. */
function tellAges({ deployment, journal }: SweeperDeps, reports: readonly SegmentReport[]): void {
  journal.gauge({ name: 'sweeper-heartbeat', value: 1 });
  if (reports.length < deployment.settings.sweepSegments) return;
  journal.gauge({ name: 'oldest-ready-age', value: Math.max(...reports.map((one) => one.oldestWaitMs)) });
  journal.gauge({ name: 'overdue-ready', value: reports.reduce((sum, one) => sum + one.waiting, 0) });
}

/** One part that fails must not keep the others from running, nor the heartbeat from telling that the sweeper lives. */
async function guarded(deps: SweeperDeps, part: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.journal.record({ event: 'store-failed', reason: part, error: errorText(error, deps.clock.now()) });
  }
}

/** All segments together, as of the oldest of their passes. */
function sumOfPasses(reports: readonly SegmentReport[]): Pass | undefined {
  const passes = reports.flatMap(({ pass }) => pass ?? []);
  if (passes.length < reports.length) return undefined;
  return {
    jobs: passes.reduce((sum, { jobs }) => sum + jobs, 0),
    overdue: passes.reduce((sum, { overdue }) => sum + overdue, 0),
    oldestWaitMs: Math.max(...passes.map(({ oldestWaitMs }) => oldestWaitMs)),
    at: Math.min(...passes.map(({ at }) => at)),
  };
}

function total(reports: readonly SegmentReport[], activated: number): SweepReport {
  const counts: Record<string, number> = {};
  for (const report of reports) for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count;
  return {
    counts,
    activated,
    readUnits: reports.reduce((sum, report) => sum + report.readUnits, 0),
    passedSegments: reports.filter((report) => report.passed).length,
  };
}
