import fc from 'fast-check';

import { groupHash } from '../../../../shared/job/hint.ts';
import { iso, storedInstant } from '../../../../shared/job/instant.ts';
import { uniqueKeyHash } from '../../../../shared/job/unique-key.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import {
  acquireLockKey,
  groupLockKey,
  heartbeatKey,
  heldCauseKey,
  lockRow,
  movedRow,
  sweepCursorKey,
  uniqueKeyRow,
} from '../../../../shared/store/control-rows.ts';
import { deadLetterRow, historyRow } from '../../../../shared/store/rows.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { damaged, rowDamage } from '../hostile-rows.ts';
import { CAUSE, goodJob, neighbourIds, RowScenario, START, TIMERS_DUE, work } from '../row-scenario.ts';
import { settledLater } from '../typed-errors.ts';

const [timerId = ''] = neighbourIds(1, TIMERS_DUE);
const [, , otherId = ''] = neighbourIds(3, START);
const finished = { ...goodJob(otherId, START), outcome: 'completed' as const, finishedAt: START };
const dead = { ...goodJob(otherId, START), reason: 'failed' as const, failedAt: START, fingerprint: 'f' };

/** Rows that are not jobs: locks, pointers, keys, causes, cursors; and the two tables that are only read. */
const GOOD: Readonly<
  Record<string, { readonly table: 'control' | 'deadLetters' | 'history'; readonly row: Row; readonly key: readonly string[] }>
> = {
  'acquire lock': {
    table: 'control',
    row: lockRow(acquireLockKey('00'), 'acquirer/x', { now: START, expiresAt: START }),
    key: ['pk', 'sk'],
  },
  'group lock': {
    table: 'control',
    row: lockRow(groupLockKey(groupHash('g')), 'run/x', { now: START, expiresAt: START }),
    key: ['pk', 'sk'],
  },
  pointer: { table: 'control', row: movedRow(timerId, TIMERS_DUE), key: ['pk', 'sk'] },
  'unique key': { table: 'control', row: uniqueKeyRow(uniqueKeyHash('work', undefined, 'k'), otherId, START), key: ['pk', 'sk'] },
  cause: { table: 'control', row: { ...heldCauseKey(CAUSE), cause: CAUSE, seenAt: iso(START) }, key: ['pk', 'sk'] },
  'another cause': {
    table: 'control',
    row: { ...heldCauseKey('no-handler#gone'), cause: 'no-handler#gone', seenAt: iso(START) },
    key: ['pk', 'sk'],
  },
  cursor: { table: 'control', row: { ...sweepCursorKey(0, 4), after: otherId }, key: ['pk', 'sk'] },
  heartbeat: { table: 'control', row: { ...heartbeatKey('sweeper'), at: iso(START) }, key: ['pk', 'sk'] },
  'dead letter': { table: 'deadLetters', row: deadLetterRow(dead), key: ['id'] },
  'finished job': { table: 'history', row: historyRow(finished, 3), key: ['day', 'id'] },
};

const TYPED = ['INVALID_INPUT', 'ROW_UNREADABLE', 'ID_IN_USE', 'KEY_CONTESTED', 'STORE_REFUSED', 'STORE_UNAVAILABLE'] as const;

/** Any content of the rows that locate and lock jobs: every verb answers or is refused by name, and the jobs still run. */
export const controlRows: FuzzTarget = fuzzTarget({
  name: 'control-rows',
  shortRuns: 60,
  longestMs: 3_000,
  input: () =>
    fc
      .constantFrom(...Object.keys(GOOD))
      .chain((what) => fc.record({ what: fc.constant(what), damage: rowDamage(GOOD[what]?.row ?? {}, START) })),
  async check({ what, damage }) {
    const good = GOOD[what];
    if (good === undefined) return;
    const scenario = await RowScenario.lay();
    const { client, tables } = scenario.rig;
    const row = damaged(good.row, damage, good.key);
    const laid = await settledLater(() => tables.write({ op: 'put', table: good.table, row }), ['STORE_REFUSED']);
    if (!laid.ok || heldByRight(row, START)) return;
    for (const id of [otherId, timerId]) {
      await settledLater(() => client.get(id), TYPED);
      await settledLater(() => client.enqueue(work, {}, { id }), TYPED);
      if (id === otherId) await settledLater(() => client.cancel(id), TYPED);
    }
    await settledLater(() => client.enqueue(work, {}, { key: 'k', runAt: START + 90 * 86_400_000 }), TYPED);
    await scenario.play();
  },
});

/** A lock that says in due form that it is held for longer than the scenario lasts is right to keep its jobs waiting. */
function heldByRight({ lockExpiresAt }: Row, now: number): boolean {
  return (storedInstant(lockExpiresAt) ?? 0) > now + 600_000;
}
