import { describe, expect, it } from 'vitest';
import { acquireTimers } from '../../../functions/acquirer/acquire-timers.ts';
import { resumeSuspended } from '../../../functions/sweeper/duties/resume-suspended.ts';
import { tryResume } from '../../../functions/sweeper/duties/resume-one.ts';
import { resumeScope } from '../../../functions/sweeper/duties/resume-scope.ts';
import { createAdminOver } from '../../../operate/admin.ts';
import { shardsOf } from '../../../shared/job/job-id.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import type { Query } from '../../../shared/ports/tables.ts';
import { heldCauseKey } from '../../../shared/store/control-rows.ts';
import { limitPartition, listingKey } from '../../../shared/store/parked-rows.ts';
import { listCause } from '../../../shared/store/suspend.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });
const cause = 'no-handler#work';

/** A rig whose chance always falls on the middle, one thing at a time, and the queries that it makes. */
function inTheMiddle() {
  const rig = new Rig({ settings: { parallelShards: 1 } });
  const queries: Query[] = [];
  const query = rig.tables.query.bind(rig.tables);
  rig.tables.query = async (asked) => (queries.push(asked), query(asked));
  const deps = { ...rig.deps, entropy: { ...rig.deps.entropy, random: () => 0.5, token: () => 't' }, backlog: rig.hints };
  return { rig, queries, deps, stopAt: rig.clock.now() + MINUTE };
}

describe('a run that time may cut off begins at another place each time', () => {
  it('of the shards', async () => {
    const { queries, deps, stopAt } = inTheMiddle();
    await acquireTimers(deps, { acquirer: 0, of: 1 }, { requestId: 'r', deadlineAt: stopAt });
    const shards = shardsOf(1, 0);
    expect(queries[0]?.partition).toBe(shards[shards.length / 2]);
  });

  it('of the limits under which jobs are parked', async () => {
    const { rig, queries, deps, stopAt } = inTheMiddle();
    const seenAt = new Date(rig.clock.now()).toISOString();
    for (const hash of ['a', 'b']) {
      await rig.tables.write({ op: 'put', table: 'control', row: { ...listingKey(hash), limit: hash, n: 1, seenAt } });
    }
    await acquireTimers(deps, { acquirer: 0, of: 1 }, { requestId: 'r', deadlineAt: stopAt });
    const asked = queries.map(({ partition }) => partition).filter((partition) => partition.startsWith(limitPartition('')));
    expect(asked).toEqual([limitPartition('b'), limitPartition('a')]);
  });

  it('of the causes for which jobs are suspended', async () => {
    const { rig, queries, deps, stopAt } = inTheMiddle();
    for (const name of ['a', 'b']) await listCause(rig.tables, `no-handler#${name}`, rig.clock.now());
    await resumeSuspended(deps, stopAt);
    expect(queries.find(({ index }) => index === 'byCause')?.partition).toMatch(/^no-handler#b#/);
  });
});

describe('suspended jobs', () => {
  it('get the share of a cause that needs less than its own', async () => {
    const { rig, deps, stopAt } = inTheMiddle();
    Object.assign(rig.deployment.settings, { resumesPerRun: 10 });
    for (const [name, count] of [
      ['small', 1],
      ['large', 30],
    ] as const) {
      await rig.client.enqueueMany(
        defineJob(name, { payload: anyPayload }),
        Array.from({ length: count }, () => ({})),
      );
    }
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    // The small one is looked at first.
    expect(await resumeSuspended(deps, stopAt + 2 * MINUTE)).toBe(10);
  });

  it('are resumed by one of two runs that come at once', async () => {
    const { rig, deps } = inTheMiddle();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    const transact = rig.tables.transact.bind(rig.tables);
    const others: unknown[] = [];
    rig.tables.transact = async (...args) => {
      rig.tables.transact = transact;
      others.push(await tryResume(rigParts, id, cause));
      return transact(...args);
    };
    const rigParts = { ...deps, entropy: rig.deps.entropy };
    expect(await tryResume(rigParts, id, cause)).toBeUndefined();
    expect(others).toMatchObject([{ result: 'ready' }]);
  });

  it('are tried again however many lie in one partition', async () => {
    const { rig } = inTheMiddle();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 40 }, () => ({})),
    );
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    const query = rig.tables.query.bind(rig.tables);
    // As if each page held two hundred.
    rig.tables.query = async (asked) => query(asked.index === 'byCause' ? { ...asked, limit: 1 } : asked);
    expect((await rig.sweep()).resumed).toBe(40);
  });

  it('are not resumed for a cause that is no longer theirs', async () => {
    const { rig, deps } = inTheMiddle();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    await createAdminOver(rig.deps).breakpoint(id, { reason: 'r' });
    expect(await tryResume(deps, id, cause)).toBeUndefined();
    expect((await rig.client.get(id))?.state).toBe('suspended');
  });

  it('are resumed at their rate by one of two runs that saw the same', async () => {
    const { rig, deps } = inTheMiddle();
    const admin = createAdminOver(rig.deps);
    await admin.suspend({ type: 'work' }, { reason: 'r' });
    const known = { ...rig.deps, handlers: new Map([['work', work.handle(() => undefined)]]) };
    await rig.client.enqueueMany(work, [{}, {}, {}, {}]);
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10), known);
    await admin.resume({ type: 'work' }, { ratePerSecond: 1 / 30 });
    await rig.clock.advance(MINUTE);
    const row = (await rig.tables.get('control', heldCauseKey('type#work'))) ?? {};
    const stopAt = rig.clock.now() + MINUTE;
    expect((await resumeScope(deps, row, 10, stopAt)).resumed).toBe(2);
    expect((await resumeScope(deps, row, 10, stopAt)).resumed).toBe(0);
  });
});
