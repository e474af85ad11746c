import { mapLimited } from '../../shared/job/map-limited.ts';
import { isNextSettled } from '../../shared/features/schedules/model/schedule.ts';
import { listScheduleRows } from '../../shared/features/schedules/store/list-schedules.ts';
import { repairSchedule } from '../../shared/features/schedules/store/repair-schedule.ts';
import { readSchedule } from '../../shared/features/schedules/store/schedules.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { locate } from '../../shared/store/locate.ts';
import { note } from '../audit-after.ts';
import { entryOf, quietly, type ReconcileRun, type ReconcileStep } from './run.ts';

const PAGE_ROWS = 100;
const PARALLEL = 4;
/** Where an occurrence is not once its schedule has gone on: an operator may have suspended it, and it may be dead since. */
const PASSED: readonly (JobState | undefined)[] = [undefined, 'ready', 'running', 'finished'];

/** Looks at every schedule: whether its next occurrence waits. The sweeper does so only when the occurrence is late. */
export const schedulesStep: ReconcileStep = {
  name: 'schedules',
  async page(run, after) {
    const from = after?.['sk'];
    const page = await listScheduleRows(run.deps.tables, { limit: PAGE_ROWS, ...(from === undefined ? {} : { after: from }) });
    await mapLimited(page.rows, PARALLEL, async ({ sk }) => quietly(run, `schedule ${sk}`, async () => lookAtSchedule(run, String(sk))));
    return { rows: page.rows.length, ...(page.after === undefined ? {} : { cursor: { sk: page.after } }) };
  },
};

/** One after the other, as long as the next one has passed too. */
const MAX_PASSED = 20;

async function lookAtSchedule(run: ReconcileRun, name: string): Promise<void> {
  const { tables, clock, entropy, deployment } = run.deps;
  for (let passed = 0; passed < MAX_PASSED; passed++) {
    const missing = await missingNext(tables, name);
    if (missing === undefined) return;
    const { id, state, rev } = missing;
    const says = `its next occurrence ${id} is ${state === undefined ? 'nowhere' : `${state} already`}`;
    const finding = { kind: 'schedule-stalled', subject: name, says } as const;
    if (!run.apply) {
      // The acquirer goes on with a schedule in the transaction that fires its occurrence.
      if ((await readSchedule(tables, name))?.rev === rev) run.findings.add(finding, 'found');
      return;
    }
    const terms = { now: clock.now(), token: entropy.token(), lanesOf: (worker: string) => deployment.workers.get(worker) };
    if (!(await repairSchedule(tables, name, terms))) return run.findings.add(finding, 'changed');
    run.findings.add(finding, 'repaired');
    await note(run.deps, entryOf(run, finding, undefined));
  }
}

async function missingNext(
  tables: Tables,
  name: string,
): Promise<{ readonly id: string; readonly state: JobState | undefined; readonly rev: number } | undefined> {
  const schedule = await readSchedule(tables, name);
  if (schedule?.next === undefined || isNextSettled(schedule)) return undefined;
  const { next, rev } = schedule;
  // A row that cannot be read is there all the same: the error ends this look.
  const state = (await locate(tables, next.id))?.state;
  return PASSED.includes(state) ? { id: next.id, state, rev } : undefined;
}
