import { describe, expect, it } from 'vitest';
import { resumeScope } from '../../../../functions/sweeper/duties/resume-scope.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import type { Hint } from '../../../../shared/job/hint.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { heldCauseKey } from '../../../../shared/store/control-rows.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const QUEUE_DELAY_MS = 900_000;
const work = defineJob('work', { payload: anyPayload });

/** Jobs that were suspended at one instant and may go now, and what a run of the sweeper makes of them. */
async function held(count: number, settings: RigOptions['settings'] = {}) {
  const rig = new Rig({ handlers: [work.handle(() => undefined)], settings });
  await createAdminOver(rig.deps).suspend({ type: 'work' }, { reason: 'r' });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await rig.client.enqueue(work, {})).id);
    await rig.clock.advance(1);
  }
  await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, count));
  const hints: Hint[] = [];
  const sender = { send: async (some: readonly Hint[]) => (hints.push(...some), []) };
  const deps = { ...rig.deps, hints: sender, backlog: rig.hints };
  const now = rig.clock.now();
  const release = async (more: Row = {}, share = 1_000) => {
    const row = { ...heldCauseKey('type#work'), seenAt: iso(now), ...more };
    await rig.tables.write({ op: 'put', table: 'control', row });
    return resumeScope(deps, row, share, rig.clock.now() + MINUTE);
  };
  const delays = (): readonly number[] => hints.map(({ delayMs }) => delayMs).toSorted((a, b) => a - b);
  return { rig, ids, deps, hints, delays, now, release };
}

describe('jobs whose suspension is over', () => {
  it.each([{}, { ratePerSecond: 1 }])('start when every executor knows that, at the earliest (%j)', async (rate) => {
    const { delays, now, release } = await held(2);
    await release({ releaseFrom: iso(now + 7 * SECOND), ...rate });
    expect(delays()[0]).toBe(7 * SECOND);
  });

  it('go at least one by one, however low their rate is', async () => {
    const { release } = await held(3);
    expect(await release({ ratePerSecond: 0.001 })).toMatchObject({ resumed: 1 });
  });

  it('start evenly at their rate, also those that are resumed in a later part of the run', async () => {
    const { delays, release } = await held(60);
    await release({ ratePerSecond: 1 });
    expect(delays()).toEqual(Array.from({ length: 60 }, (_, n) => n * SECOND));
  });

  it('start behind those that the previous run resumed', async () => {
    const { delays, now, release } = await held(2);
    await release({ ratePerSecond: 1, releasedUntil: iso(now + 20 * SECOND) });
    expect(delays()).toEqual([20 * SECOND, 21 * SECOND]);
  });

  it.each([{ releaseFrom: -MINUTE }, { releasedUntil: -MINUTE }])(
    'start now, at their rate, when their time began earlier (%j)',
    async (since) => {
      const { delays, now, release } = await held(2);
      const [[name, ago] = ['', 0]] = Object.entries(since);
      await release({ ratePerSecond: 1, [name]: iso(now + ago) });
      expect(delays()).toEqual([0, SECOND]);
    },
  );

  it('are no more than their share, whatever their rate allows', async () => {
    const { release } = await held(3);
    expect(await release({ ratePerSecond: 1 }, 2)).toMatchObject({ resumed: 2 });
  });

  it('stay for the next run when another one has claimed their rate meanwhile', async () => {
    const { rig, deps, now } = await held(2);
    const row = { ...heldCauseKey('type#work'), ratePerSecond: 1, releasedUntil: iso(now - MINUTE) };
    await rig.tables.write({ op: 'put', table: 'control', row: { ...row, releasedUntil: iso(now) } });
    expect(await resumeScope(deps, row, 10, rig.clock.now() + MINUTE)).toEqual({ resumed: 0, found: 1 });
  });

  it('are no more than their share, on however many pages they lie, and no more are read', async () => {
    const { rig, release } = await held(40);
    const query = rig.tables.query.bind(rig.tables);
    const limits = new Set<number>();
    rig.tables.query = async (asked) => {
      if (asked.index !== 'byCause') return query(asked);
      limits.add(asked.limit);
      return query({ ...asked, limit: 1 });
    };
    expect(await release({}, 20)).toMatchObject({ resumed: 20 });
    expect([...limits]).toEqual([20, 4]);
  });

  it('are read two hundred of a leaf at a time', async () => {
    const { rig, release } = await held(1);
    const query = rig.tables.query.bind(rig.tables);
    const limits = new Set<number>();
    rig.tables.query = async (asked) => (limits.add(asked.limit), query(asked));
    await release();
    expect(limits).toEqual(new Set([200]));
  });

  it('are no more, and their hints wait no longer, than a queue can delay', async () => {
    const { delays, now, release } = await held(20, { sweeperIntervalMs: 30 * MINUTE });
    await release({ ratePerSecond: 0.01, releasedUntil: iso(now + 400 * SECOND) });
    expect(delays()).toHaveLength(9);
    expect(Math.max(...delays())).toBe(QUEUE_DELAY_MS);
  });

  it('go in the order of their due times where they were suspended at once', async () => {
    const { hints, ids, release } = await held(12);
    await release({ ratePerSecond: 1 / 20 });
    expect(hints.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  });

  it('belong to their queue until their hints had time to arrive', async () => {
    const { rig, ids, now, release } = await held(2);
    await release({ ratePerSecond: 0.1 });
    const rows = await Promise.all(ids.map((id) => rig.tables.get('jobs', idKey(id))));
    const { redispatchAfterMs } = rig.deployment.settings;
    expect(rows.map((row) => row?.['lockExpiresAt'])).toEqual([iso(now + redispatchAfterMs), iso(now + 10 * SECOND + redispatchAfterMs)]);
  });

  it('have their hints delayed until they are due', async () => {
    const { rig, ids, delays, now, release } = await held(1);
    const key = idKey(ids[0] ?? '');
    await rig.tables.write({ op: 'update', table: 'suspended', key, set: { dueAt: iso(now + 30 * SECOND) } });
    await release();
    expect(delays()).toEqual([30 * SECOND]);
  });

  it('all go in one run where nothing limits them, however many pages they take', async () => {
    const { rig, release } = await held(40);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => query(asked.index === 'byCause' ? { ...asked, limit: 1 } : asked);
    expect(await release()).toEqual({ resumed: 40, found: 40 });
  });

  it.each([
    { pages: 'one', limit: 200, resumed: 50 },
    { pages: 'many', limit: 1, resumed: 16 },
  ])('stay for the next run when time is over (pages: $pages)', async ({ limit, resumed }) => {
    const { rig, release } = await held(120);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => query(asked.index === 'byCause' ? { ...asked, limit: Math.min(limit, asked.limit) } : asked);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      await rig.clock.advance(MINUTE);
      return transact(...args);
    };
    const report = await release();
    expect(report.resumed).toBeLessThanOrEqual(resumed);
    expect(report.found).toBeLessThanOrEqual(Math.min(120, 16 * limit));
  });

  it('whose hints no queue took are journalled', async () => {
    const { rig, deps, release } = await held(2);
    deps.hints.send = async (some) => [...some] as never;
    await release();
    expect(rig.journal.count('send-failed')).toBe(2);
  });
});
