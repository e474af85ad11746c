import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { iso } from '../../shared/job/instant.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { type BoundedType, listBoundedTypes } from '../../shared/features/backlogs/store/backlog-rows.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { backlogCheck } from './backlog-check.ts';
import { DUTIES } from './duties.ts';
import type { SweeperDeps, SweepNotes } from './deps.ts';
import { recordBacklogs } from './record-backlogs.ts';
import { scanSegment, type SegmentReport } from './scan-segment.ts';
import { type Pass, readCursor, writeCursor } from './sweep-cursor.ts';

/** The result of a run, by rows. */
export interface SweepReport {
  readonly counts: SegmentReport['counts'];
  readonly readUnits: number;
  readonly resumed: number;
  /** The content of Jobs at the last complete pass; absent until every segment has had one. */
  readonly seen?: Pass;
  /** Segments whose end was reached. If all were, the whole table has been read in this run and the previous ones. */
  readonly passedSegments: number;
}

const STOP_BEFORE_MS = 5_000;

/**
 * Scans Jobs for expired leases and resets or buries their jobs; performs its duties concurrently. Throws StoreUnavailableError if no
 * segment could be read. `mayHaveBounds`: a client has asked for the backlog of a type.
 */
export async function sweep(deps: SweeperDeps, invocation: Invocation, mayHaveBounds = false): Promise<SweepReport> {
  const { clock, deployment } = deps;
  const stopAt = invocation.deadlineAt - STOP_BEFORE_MS;
  const [reports, done] = await Promise.all([scanJobs(deps, stopAt, mayHaveBounds), doDuties(deps, stopAt)]);
  const seen = sumOfPasses(passesOf(reports, deployment.settings.sweepSegments));
  const report = { ...total(reports, done.get('held-causes') ?? 0), ...defined({ seen }) };
  // Without a readable segment the run fails, and the missing heartbeat raises the alarm.
  if (reports.length === 0) throw new StoreUnavailableError('sweep any segment', new Error('every scan failed; each is logged'));
  tellAges(deps, reports);
  const { readUnits, passedSegments, counts } = report;
  const told = seen === undefined ? {} : { jobs: seen.jobs, overdue: seen.overdue, oldestWaitMs: seen.oldestWaitMs, seenAt: iso(seen.at) };
  const missing = defined({ missingPermission: deps.missingPermission?.() });
  const beaten = { readUnits, passedSegments, ...counts, ...told, ...missing };
  await guarded(deps, 'heartbeat', async () => writeHeartbeat(deps.tables, 'sweeper', clock.now(), beaten));
  return report;
}

/** Scans every segment and leaves behind where the next run continues. A segment that fails has no report; the others have theirs. */
async function scanJobs(deps: SweeperDeps, stopAt: number, mayHaveBounds: boolean): Promise<readonly SegmentReport[]> {
  const segments = Array.from({ length: deps.deployment.settings.sweepSegments }, (_, segment) => ({ segment }));
  const bounded: BoundedType[] = [];
  const [starts] = await Promise.all([
    inSegments(deps, segments, async ({ segment }) => ({ segment, ...(await readCursor(deps, segment)) })),
    mayHaveBounds && guarded(deps, 'backlogs', async () => void bounded.push(...(await listBoundedTypes(deps.tables, deps.clock.now())))),
  ]);
  const types = bounded.map(({ type }) => type);
  const backlog = backlogCheck(
    deps,
    starts.flatMap(({ last }) => last?.waiting ?? []),
  );
  const scanned = await inSegments(deps, starts, (start) => scanSegment(deps, backlog, { ...start, types }, stopAt));
  await guarded(deps, 'backlogs', async () => recordBacklogs(deps, bounded, passesOf(scanned, segments.length)));
  // Where a backlog explains waits, the next run has to know what the queues made wait in this pass, in all segments. Waits that are over must not
  // show again in a later pass of several runs.
  const explained = scanned.some(({ counts }) => (counts.explained ?? 0) > 0);
  return inSegments(deps, scanned, async (report) => {
    if (report.moved || report.eased || (explained && report.passed)) await writeCursor(deps, report.segment, report.cursor);
    return report;
  });
}

/** One duty after another; a scan that needs all its time leaves them theirs. Gives the count of each that succeeded. */
async function doDuties(deps: SweeperDeps, stopAt: number): Promise<ReadonlyMap<string, number>> {
  const done = new Map<string, number>();
  const notes: SweepNotes = {};
  for (const { name, run } of DUTIES) await guarded(deps, name, async () => void done.set(name, await run(deps, stopAt, notes)));
  return done;
}

async function inSegments<Of extends { readonly segment: number }, Done>(
  deps: SweeperDeps,
  of: readonly Of[],
  work: (one: Of) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  await Promise.all(of.map((one) => guarded(deps, `segment#${one.segment}`, async () => void done.push(await work(one)))));
  return done;
}

/** Ages are reported only if every segment was read: a wrong zero would end an alarm. */
function tellAges({ deployment, journal }: SweeperDeps, reports: readonly SegmentReport[]): void {
  journal.gauge({ name: 'sweeper-heartbeat', value: 1 });
  if (reports.length < deployment.settings.sweepSegments) return;
  journal.gauge({ name: 'oldest-ready-age', value: Math.max(...reports.map((one) => one.oldestWaitMs)) });
  journal.gauge({ name: 'overdue-ready', value: reports.reduce((sum, one) => sum + one.waiting, 0) });
}

/** Runs one part. If it fails, the other parts and the heartbeat still run. */
async function guarded(deps: SweeperDeps, part: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.journal.record({ event: 'store-failed', reason: part, error: errorText(error, deps.clock.now()) });
  }
}

/** The last complete pass of each segment; none unless every segment has had one. */
function passesOf(reports: readonly SegmentReport[], segments: number): readonly Pass[] {
  const passes = reports.flatMap(({ pass }) => pass ?? []);
  return passes.length < segments ? [] : passes;
}

/** The sum of all segments, as of the oldest of their passes. */
function sumOfPasses(passes: readonly Pass[]): Pass | undefined {
  if (passes.length === 0) return undefined;
  return {
    jobs: passes.reduce((sum, { jobs }) => sum + jobs, 0),
    overdue: passes.reduce((sum, { overdue }) => sum + overdue, 0),
    oldestWaitMs: Math.max(...passes.map(({ oldestWaitMs }) => oldestWaitMs)),
    at: Math.min(...passes.map(({ at }) => at)),
  };
}

function total(reports: readonly SegmentReport[], resumed: number): SweepReport {
  const counts: Record<string, number> = {};
  for (const report of reports) for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count;
  return {
    counts,
    resumed,
    readUnits: reports.reduce((sum, report) => sum + report.readUnits, 0),
    passedSegments: reports.filter((report) => report.passed).length,
  };
}
