import { errorText } from '../../../shared/job/error-text.ts';
import { iso } from '../../../shared/job/instant.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import type { Page, Row } from '../../../shared/ports/tables.ts';
import {
  noteLeftOff,
  readScheduleNotes,
  type ScheduleNotes,
  type SchedulePlace,
  type ScheduleStretch,
  schedulesOf,
} from '../../../shared/features/schedules/store/list-schedules.ts';
import { repairSchedule } from '../../../shared/features/schedules/store/repair-schedule.ts';
import type { SweeperDeps } from '../deps.ts';

/** Schedules that one run checks. If more than this are late, the acquirer does not keep up. */
const MAX_LOOKS = 200;
const PARALLEL = 4;

/** The state of one run. */
interface ScanState {
  readonly stopAt: number;
  /** Schedules whose next occurrence is due by then should have been fired. */
  readonly overdue: string;
  /** The last schedule that was passed, whether it was checked or not late. */
  passed: SchedulePlace | undefined;
  looks: number;
  repaired: number;
}

/**
 * Finds schedules whose next occurrence should have been fired by now and writes its timer if it is missing. A healthy schedule
 * costs only its share of one query, because its next occurrence is beyond the horizon. Without schedules it costs half a read unit.
 * A run that cannot check all late schedules stores its position, and the next one continues there: of n late schedules, each is
 * checked within n / 200 runs. Returns how many were repaired.
 */
export async function repairSchedules(deps: SweeperDeps, stopAt: number): Promise<number> {
  const { clock, deployment, tables } = deps;
  const { horizonMs, acquirerIntervalMs } = deployment.settings;
  const notes = await readScheduleNotes(tables);
  // The acquirer fires up to a horizon ahead; one tick may be late and one missed.
  const overdue = iso(clock.now() + horizonMs - 2 * acquirerIntervalMs - 60_000);
  const walk: ScanState = { stopAt, overdue, passed: notes.leftOff, looks: 0, repaired: 0 };
  const place = (await walkAll(deps, stretchesOf(notes), walk)) ? undefined : walk.passed;
  if (place !== notes.leftOff) await noteLeftOff(tables, place);
  return walk.repaired;
}

/** All partitions, starting and ending where the last run stopped. */
function stretchesOf({ partitions, leftOff }: ScheduleNotes): readonly ScheduleStretch[] {
  const all = partitions.map((partition) => ({ partition }));
  const at = partitions.indexOf(leftOff?.partition ?? '');
  if (leftOff === undefined || leftOff.name === '' || at < 0) return all;
  const { partition, name } = leftOff;
  return [{ partition, after: name }, ...all.slice(at + 1), ...all.slice(0, at), { partition, through: name }];
}

/** False if the run had to stop early. Schedules are checked in a fixed order, so one position suffices to continue; only first pages are read ahead. */
async function walkAll(deps: SweeperDeps, stretches: readonly ScheduleStretch[], walk: ScanState): Promise<boolean> {
  for (let at = 0; at < stretches.length; at += PARALLEL) {
    const some = stretches.slice(at, at + PARALLEL);
    const pages = await Promise.all(some.map(async (stretch) => readQuietly(deps, stretch)));
    for (const [index, stretch] of some.entries()) if (!(await walkStretch(deps, stretch, pages[index], walk))) return false;
  }
  return true;
}

async function walkStretch(deps: SweeperDeps, stretch: ScheduleStretch, first: Page | undefined, walk: ScanState): Promise<boolean> {
  for (let page = first; page !== undefined;) {
    const late = page.rows.filter(({ nextDue }) => typeof nextDue === 'string' && nextDue <= walk.overdue);
    if (!(await lookAt(deps, late, walk))) return false;
    const name = page.cursor?.['sk'];
    if (name === undefined) return true;
    walk.passed = { partition: stretch.partition, name };
    if (deps.clock.now() >= walk.stopAt) return false;
    page = await readQuietly(deps, stretch, name);
  }
  return true;
}

/** False if not all of them could be checked. */
async function lookAt(deps: SweeperDeps, late: readonly Row[], walk: ScanState): Promise<boolean> {
  const before = walk.looks;
  await mapLimited(late.slice(0, MAX_LOOKS - before), PARALLEL, async ({ pk, sk }) => {
    if (deps.clock.now() >= walk.stopAt) return;
    walk.looks++;
    walk.passed = { partition: String(pk), name: String(sk) };
    if (await repairQuietly(deps, String(sk))) walk.repaired++;
  });
  return walk.looks - before === late.length;
}

/** A partition that cannot be read must not block the others. */
async function readQuietly(deps: SweeperDeps, stretch: ScheduleStretch, after?: string): Promise<Page | undefined> {
  try {
    return await schedulesOf(deps.tables, stretch, after);
  } catch (error) {
    deps.journal.record({ event: 'store-failed', reason: stretch.partition, error: errorText(error, deps.clock.now()) });
    return undefined;
  }
}

/** A schedule that cannot be repaired must not block the others. */
async function repairQuietly({ tables, clock, entropy, deployment, journal }: SweeperDeps, name: string): Promise<boolean> {
  try {
    const terms = { now: clock.now(), token: entropy.token(), lanesOf: (worker: string) => deployment.workers.get(worker) };
    return await repairSchedule(tables, name, terms);
  } catch (error) {
    journal.record({ event: 'store-failed', reason: `schedule#${name}`, error: errorText(error, clock.now()) });
    return false;
  }
}
