import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { acquireLockKey } from '../../shared/store/control-rows.ts';
import { listingKey } from '../../shared/store/parked-rows.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { listCause } from '../../shared/store/suspend.ts';
import { type FaultyRig, faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, type Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const CAUSE = 'no-handler#work';
const work = defineJob('work', { payload: anyPayload });

const listLimit = async (rig: Rig): Promise<unknown> => {
  const seenAt = new Date(rig.clock.now()).toISOString();
  return rig.tables.write({ op: 'put', table: 'control', row: { ...listingKey('l'), limit: 'l', n: 1, seenAt } });
};
const takeShard = async (rig: Rig): Promise<unknown> => {
  const now = rig.clock.now();
  return takeLock(rig.tables, acquireLockKey('07'), `acquirer/${now}`, { now, expiresAt: now + MINUTE });
};
const listed = async (rig: Rig, partition: string): Promise<readonly Row[]> =>
  (await rig.rows('control')).filter(({ pk }) => pk === partition);

describe.each([
  {
    what: 'a limit under which nobody is parked',
    pk: 'parked',
    list: listLimit,
    keptMs: 30 * MINUTE,
    tick: (rig: FaultyRig) => rig.fire(),
  },
  {
    what: 'a cause for which no job is suspended',
    pk: 'held-cause',
    list: (rig: FaultyRig) => listCause(rig.tables, CAUSE, rig.clock.now()),
    keptMs: 10 * MINUTE,
    tick: (rig: FaultyRig) => rig.sweep(),
  },
  { what: 'the lock of an acquirer that died', pk: 'acquire', list: takeShard, keptMs: 2 * MINUTE, tick: (rig: FaultyRig) => rig.sweep() },
])('$what', ({ pk, list, keptMs, tick }) => {
  it('stays listed for a while, because a job may be on its way', async () => {
    const rig = faultyRig();
    await list(rig);
    await rig.clock.advance(keptMs - 1);
    await tick(rig);
    expect(await listed(rig, pk)).toHaveLength(1);
    await rig.clock.advance(2);
    await tick(rig);
    expect(await listed(rig, pk)).toEqual([]);
  });

  it('stays listed when it was listed again just before it is forgotten', async () => {
    const rig = faultyRig();
    await list(rig);
    await rig.clock.advance(keptMs + 1);
    rig.faults.before(aimAt('delete', 'control'), () => list(rig));
    await tick(rig);
    expect(await listed(rig, pk)).toHaveLength(1);
    expect(rig.faults.pending()).toBe(0);
  });
});

it('a cause is found however many are listed before it', async () => {
  const rig = faultyRig();
  const { id } = await rig.client.enqueue(work, {});
  await rig.drain();
  await rig.clock.advance(2 * MINUTE);
  for (const n of [1, 2]) await listCause(rig.tables, `no-handler#before-${n}`, rig.clock.now());
  const query = rig.tables.query.bind(rig.tables);
  // As if each page held a thousand.
  rig.tables.query = async (asked) => query(asked.partition === 'held-cause' ? { ...asked, limit: 1 } : asked);
  expect((await rig.sweep()).resumed).toBe(1);
  expect((await rig.client.get(id))?.state).toBe('ready');
});
