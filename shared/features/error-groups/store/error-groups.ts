import type { Death, LeftAs } from '../model/error-group.ts';
import { errorText } from '../../../job/error-text.ts';
import { iso } from '../../../job/instant.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Condition, Row, Tables } from '../../../ports/tables.ts';
import { all, noRow, unchanged } from '../../../store/conditions.ts';
import { deathAttributes, errorGroupKey, firstGroupRow } from './error-group-rows.ts';
import { ErrorGroupSums, type WriteDeaths } from './error-group-sums.ts';

/** What writing error groups takes. Without `errorGroups`, what the sandbox remembers, each burial costs a write. */
export interface GroupDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly errorGroups?: ErrorGroupSums;
}

/** Journalled as the reason, with the fingerprint, when the store did not take a write of a group. */
export const GROUP_REFUSED = 'error-group#';

const ROUNDS = 3;
/** The longest that a burial waits for its group; the write continues in the background. */
const PATIENCE_MS = 1_000;

/**
 * Runs a burial so that the group of its dead letter has a row before. A store that refuses the row, or takes more than a second for
 * it, keeps no job from being buried.
 */
export async function inItsErrorGroup<Result>(
  deps: GroupDeps,
  { death, attempt }: { readonly death: Death; readonly attempt: string },
  burial: () => Promise<Result>,
  died: (result: Result) => boolean,
): Promise<Result> {
  const sums = deps.errorGroups ?? new ErrorGroupSums();
  const write = deathWriter(deps);
  await patiently(deps, death, sums.enter(death, attempt, deps.clock.now(), write));
  let known = false;
  try {
    const result = await burial();
    known = true;
    if (!died(result)) sums.undo(death, attempt, true);
    return result;
  } finally {
    if (!known) sums.undo(death, attempt, false);
    // Without sums to collect it, a death must be written at once.
    if (deps.errorGroups === undefined) await sums.flush(deps.clock.now(), write, true);
  }
}

/** Writes what the sandbox summed up, at most every ten seconds unless `all`. Never rejects. */
export async function flushErrorGroups(deps: GroupDeps, all = false): Promise<void> {
  await deps.errorGroups?.flush(deps.clock.now(), deathWriter(deps), all);
}

/** `refused`: it is not known whether it was written. Otherwise the group's row, if it has one. */
export type LeftResult = { readonly refused: boolean; readonly row?: Row };

/** Subtracts removed dead letters from a group; one without a row is left alone. Never rejects. */
export async function leaveGroup(deps: GroupDeps, fingerprint: string, counts: Readonly<Record<LeftAs, number>>): Promise<LeftResult> {
  try {
    const outcome = await deps.tables.write({
      op: 'update',
      table: 'control',
      key: errorGroupKey(fingerprint),
      set: { leftAt: iso(deps.clock.now()) },
      add: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      condition: { test: 'present', attribute: 'lastSeen' },
    });
    return { refused: false, ...(outcome.applied && outcome.row !== undefined ? { row: outcome.row } : {}) };
  } catch (error) {
    refused(deps, fingerprint, error);
    return { refused: true };
  }
}

async function patiently(deps: GroupDeps, { fingerprint }: Death, writing: Promise<void> | undefined): Promise<void> {
  if (writing === undefined) return;
  const ended = new AbortController();
  void writing.then(() => ended.abort());
  await Promise.race([writing, deps.clock.wait(PATIENCE_MS, ended.signal)]);
  if (!ended.signal.aborted) refused(deps, fingerprint, new Error('it took longer than a burial waits'));
}

function deathWriter(deps: GroupDeps): WriteDeaths {
  return async (latest, seen, recent) => {
    try {
      await writeDeaths(deps.tables, latest, seen, recent);
    } catch (error) {
      refused(deps, latest.fingerprint, error);
      throw error;
    }
  };
}

/**
 * One write for a fault that was seen before, two for a new one, or if a later death is there already: that one stays the newest, because a
 * resolved group that has come back must not look resolved again. What comes late is not added where the index has been counted since: it
 * was in that count, and would reopen an empty group. It still says when the group was last seen.
 */
async function writeDeaths(tables: Tables, latest: Death, seen: number, recent: boolean): Promise<void> {
  const there: Condition = { test: 'present', attribute: 'lastSeen' };
  let newest = seen >= 0;
  let counts = true;
  for (let round = 0; round < ROUNDS; round++) {
    const where = newest ? notSeenAfter(latest.at) : there;
    const told = await tables.write({
      op: 'update',
      table: 'control',
      key: errorGroupKey(latest.fingerprint),
      set: newest ? deathAttributes(latest) : {},
      ...(counts ? { add: { seen } } : {}),
      condition: counts && !recent ? all(where, unchanged('settledAt', undefined)) : where,
    });
    if (told.applied) return;
    const { lastSeen, settledAt } = told.row ?? {};
    if (lastSeen !== undefined) {
      newest &&= typeof lastSeen === 'string' && lastSeen <= iso(latest.at);
      counts &&= recent || settledAt === undefined;
      if (!newest && !counts) return;
      continue;
    }
    const row = firstGroupRow(latest, Math.max(0, seen));
    if ((await tables.write({ op: 'put', table: 'control', row, condition: noRow('pk') })).applied) return;
  }
}

/** The group is there, and no later death is. */
const notSeenAfter = (at: number): Condition => ({ test: 'atMost', attribute: 'lastSeen', value: iso(at) });

function refused({ journal, clock }: GroupDeps, fingerprint: string, error: unknown): void {
  journal.record({ event: 'store-failed', reason: `${GROUP_REFUSED}${fingerprint}`, error: errorText(error, clock.now()) });
}
