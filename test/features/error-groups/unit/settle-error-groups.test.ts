import { describe, expect, it } from 'vitest';
import { settleErrorGroups } from '../../../../functions/sweeper/duties/settle-error-groups.ts';
import { iso } from '../../../../shared/job/instant.ts';
import type { Query } from '../../../../shared/ports/tables.ts';
import { errorGroupKey } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const LEAVES = 16;

/** A sweeper whose turn it is to look at the groups of `first`, of which many were open for long; each query of the index costs `readUnits`. */
async function openGroups({ count = 40, readUnits = 0.5, first = '-' } = {}) {
  const rig = new Rig();
  const queries: Query[] = [];
  const query = rig.tables.query.bind(rig.tables);
  rig.tables.query = async (asked) => {
    const page = await query(asked);
    if (asked.index !== 'byFingerprint') return page;
    queries.push(asked);
    return { rows: [{ id: 'dead' }], readUnits };
  };
  // A turn is a minute, and sixteen of them are a round: this one begins it.
  await rig.clock.advance(DAY - (rig.clock.now() % (16 * MINUTE)));
  await rig.clock.advance(16 * MINUTE - (rig.clock.now() % (16 * MINUTE)));
  const at = iso(rig.clock.now() - DAY);
  const rows = Array.from({ length: count }, (_, n) => ({
    ...errorGroupKey(`${first}${String(n).padStart(4, '0')}`),
    type: 'pay',
    errorName: 'Error',
    message: 'no',
    sample: 's',
    firstSeen: at,
    lastSeen: at,
    seen: 3,
  }));
  await rig.tables.putAll('control', rows);
  const counted = (): number => new Set(queries.map(({ partition }) => partition.split('#')[0])).size;
  return { rig, deps: { ...rig.deps, backlog: rig.hints }, counted };
}

describe('a run over the error groups that are open for long', () => {
  it('counts all whose turn it is', async () => {
    const { rig, deps, counted } = await openGroups();
    await settleErrorGroups(deps, rig.clock.now() + MINUTE);
    expect(counted()).toBe(40);
  });

  it('leaves those of other turns alone', async () => {
    const { rig, deps, counted } = await openGroups({ first: 'z' });
    await settleErrorGroups(deps, rig.clock.now() + MINUTE);
    expect(counted()).toBe(0);
    await rig.clock.advance(15 * MINUTE);
    await settleErrorGroups(deps, rig.clock.now() + MINUTE);
    expect(counted()).toBe(40);
  });

  it('spends no more read units than 500 and what is under way by then', async () => {
    const { rig, deps, counted } = await openGroups({ readUnits: 100 / LEAVES });
    await settleErrorGroups(deps, rig.clock.now() + MINUTE);
    expect(counted()).toBeGreaterThanOrEqual(5);
    expect(counted()).toBeLessThanOrEqual(5 + 3);
  });

  it('counts those first whose last count is the oldest, so that each has its turn', async () => {
    const { rig, deps, counted } = await openGroups({ readUnits: 100 / LEAVES });
    for (let round = 0; round < 8; round++) {
      await settleErrorGroups(deps, rig.clock.now() + MINUTE);
      // By then those of the first round are due again.
      await rig.clock.advance(64 * MINUTE);
    }
    expect(counted()).toBe(40);
  });

  it('ends with its time', async () => {
    const { rig, deps, counted } = await openGroups();
    await settleErrorGroups(deps, rig.clock.now());
    expect(counted()).toBe(0);
  });
});
