import { isToBeSettled } from '../../../shared/features/error-groups/model/error-group.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import type { Row, RowKey } from '../../../shared/ports/tables.ts';
import { decodeErrorGroup, ERROR_GROUPS } from '../../../shared/features/error-groups/store/error-group-rows.ts';
import { settleGroup } from '../../../shared/features/error-groups/store/settle-error-group.ts';
import type { SweeperDeps } from '../deps.ts';

/** The characters of fingerprints in byte order: each run checks the groups that begin with the next four. */
const FIRST_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const PER_RUN = 4;
const RUNS = FIRST_CHARACTERS.length / PER_RUN;
const PAGE = 1_000;
const PARALLEL = 4;
/** The most that counting may cost in one run; the rest waits for the next round. */
const READ_UNITS = 500;

/**
 * Recounts error groups that changed since their last count, or have been open for long: counts lost with sandboxes and killed
 * processes must not make an open group look closed, or keep it open forever. Every group is checked in each sixteenth run;
 * which run follows from the time, so no cursor is needed. Costs half a read unit without groups. Returns how
 * many were counted.
 */
export async function settleErrorGroups(deps: SweeperDeps, stopAt: number): Promise<number> {
  const { tables, clock, deployment } = deps;
  const turn = Math.floor(clock.now() / deployment.settings.sweeperIntervalMs) % RUNS;
  const [from = '', through = ''] = [FIRST_CHARACTERS[turn * PER_RUN], FIRST_CHARACTERS[turn * PER_RUN + PER_RUN - 1]];
  const spent = { readUnits: 0, groups: 0 };
  let after: RowKey | undefined;
  do {
    const start = after === undefined ? {} : { after };
    const page = await tables.query({ table: 'control', partition: ERROR_GROUPS, from, through: `${through}~`, limit: PAGE, ...start });
    const due = page.rows.filter((row) => isToBeSettled(decodeErrorGroup(row), clock.now()));
    // Oldest count first: a run that ends early leaves each group to a later one.
    const inTurn = due.toSorted((a, b) => settledAtOf(a) - settledAtOf(b));
    await mapLimited(inTurn, PARALLEL, async (row) => {
      if (spent.readUnits >= READ_UNITS || clock.now() >= stopAt) return;
      const readUnits = await settleGroup(deps, row);
      spent.readUnits += readUnits;
      spent.groups++;
    });
    after = page.cursor;
  } while (after !== undefined && spent.readUnits < READ_UNITS && clock.now() < stopAt);
  return spent.groups;
}

const settledAtOf = (row: Row): number => decodeErrorGroup(row).settledAt ?? 0;
