import { describe, expect, it } from 'vitest';
import type { Row } from '../../../../shared/ports/tables.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { groupHash } from '../../../../shared/job/hint.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { JOB_TYPES } from '../workload/work-item-jobs.ts';
import { checkEnd, isQuiet } from './end-state.ts';
import { LimitInvariants } from './limit-invariants.ts';
import { quietWorld, readyJob } from './quiet-world.ts';
import { isOvertaken } from './run-invariants.ts';
import { type Rule, Violations } from './violations.ts';

const SECOND = 1_000;
const RATE = { hash: 'h', name: 'once', n: 1, perMs: 20 * SECOND };

describe('the ledger of runs, of a machine outside Lambda', () => {
  const JOB = { id: 'job', group: undefined, dueAt: new Date(0) };

  async function overtaken(during: (first: SimProcess) => void, after: (end: () => void) => void = () => {}): Promise<readonly Rule[]> {
    const world = quietWorld();
    const { ledger, violations } = world.checks;
    const [first, second] = [world.process('executor', 'pool'), world.process('executor', 'executor')];
    first.outside = true;
    const end = ledger.start(first, JOB, new AbortController().signal);
    during(first);
    ledger.start(second, JOB, new AbortController().signal);
    first.thaw('pause');
    after(() => end('stopped'));
    await world.time.runUntil(world.time.now + 10 * SECOND);
    return violations.list.map(({ rule }) => rule);
  }

  it('lets a run be overtaken while it stands still', async () => {
    expect(
      await overtaken(
        (first) => first.freeze('pause'),
        (end) => end(),
      ),
    ).toEqual([]);
  });

  it('knows that others may have what a machine held that stood still, and not what a sandbox held', async () => {
    const world = quietWorld();
    const process = world.process('executor', 'pool');
    const seen = (): boolean => isOvertaken({ by: process, since: 0 }, world.time.now);
    process.outside = true;
    expect(seen()).toBe(false);
    process.freeze('pause');
    expect(seen()).toBe(true);
    process.thaw('pause');
    expect(seen()).toBe(true);
    process.outside = false;
    expect(seen()).toBe(false);
    process.outside = true;
    await world.time.runUntil(world.time.now + 10 * SECOND);
    expect(seen()).toBe(false);
  });

  it('lets none go on after that, and none be overtaken that does not stand still', async () => {
    expect(await overtaken((first) => first.freeze('pause'))).toEqual(['runs-once-at-a-time']);
    expect(await overtaken(() => {})).toEqual(['runs-once-at-a-time']);
  });
});

describe('the invariants of leases', () => {
  const lock = { pk: `group#${groupHash('g')}`, sk: 'lock' };

  async function freedWhileRunning(more: Row, isClaimedFirst = false): Promise<readonly Rule[]> {
    const world = quietWorld();
    const { id, row } = await readyJob(world);
    const pool = world.process('executor', 'pool');
    const until = new Date(world.time.now + 3_600 * SECOND).toISOString();
    const held = { lockOwner: 'run/mine', lockExpiresAt: until };
    const claims = [
      { op: 'put', table: 'control', row: { ...lock, ...held } },
      { op: 'put', table: 'jobs', row: { ...row, ...held, id, ...more } },
    ] as const;
    for (const claim of isClaimedFirst ? claims.toReversed() : claims) await world.store.write(pool, claim);
    await world.store.write(pool, { op: 'delete', table: 'control', key: lock });
    return world.checks.violations.list.map(({ rule }) => rule);
  }

  it('keeps the lock of a group until the outcome of its job is written', async () => {
    expect(await freedWhileRunning({ group: 'g' })).toContain('group-locked');
  });

  it('knows that a job which was claimed without the lock, because its message told of no group, is sent back and guarded by none', async () => {
    expect(await freedWhileRunning({ group: 'g' }, true)).not.toContain('group-locked');
  });

  it('knows that a job whose lease is over is guarded no longer, when its machine takes the lock anew', async () => {
    const before = new Date(quietWorld().time.now - SECOND).toISOString();
    expect(await freedWhileRunning({ group: 'g', lockExpiresAt: before })).not.toContain('group-locked');
  });

  it('knows that a group which is only a label is guarded by no lock', async () => {
    expect(await freedWhileRunning({ group: 'g', exclusive: false })).not.toContain('group-locked');
  });
});

describe('the tracker of jobs', () => {
  const leaf = { pk: 'batch#b', sk: 'leaf#000' };
  /** A job of a batch runs; then one write takes it away and counts it. */
  async function endOf(counts: Row, { cancelRequested, outcome }: { cancelRequested?: true; outcome?: string } = {}) {
    const world = quietWorld();
    const { id, row } = await readyJob(world);
    const by = world.process('executor', 'executor');
    const { tracker, violations } = world.checks;
    const running = { ...row, batch: 'b', lockOwner: 'run/mine', rev: 2, ...(cancelRequested && { cancelRequested }) };
    const claimed = { table: 'jobs', key: { id }, before: row, after: running } as const;
    const ended = { table: 'jobs', key: { id }, before: running, after: undefined } as const;
    const counted = { table: 'control', key: leaf, before: undefined, after: { ...leaf, ...counts } } as const;
    const kept = { table: 'history', key: { day: 'd', id }, before: undefined, after: { id, outcome: outcome ?? '' } } as const;
    tracker.see({ by, at: 0, changes: [claimed] });
    tracker.see({ by, at: 0, changes: [ended, counted, ...(outcome === undefined ? [] : [kept])] });
    const rules = violations.list.map(({ rule }) => rule);
    return {
      outcome: tracker.jobs.get(id)?.outcome,
      broken: ['cancel-wins', 'history-true'].filter((rule) => rules.includes(rule as Rule)),
    };
  }

  it('takes the end of a child from the counter of its batch where History keeps nothing', async () => {
    expect(await endOf({ cancelled: 1 })).toEqual({ outcome: 'cancelled', broken: [] });
    expect(await endOf({ succeeded: 1 })).toEqual({ outcome: 'completed', broken: [] });
  });

  it('sees a completion that a cancel request should have stopped, and an end that is told in two ways', async () => {
    expect(await endOf({ succeeded: 1 }, { cancelRequested: true })).toEqual({ outcome: 'completed', broken: ['cancel-wins'] });
    expect(await endOf({ cancelled: 1 }, { outcome: 'completed' })).toMatchObject({ broken: ['history-true'] });
    expect(await endOf({ cancelled: 1 }, { outcome: 'skipped' })).toEqual({ outcome: 'skipped', broken: [] });
  });

  it('lets a backfill bring back an occurrence that was left out or that History does not keep, and nobody else', async () => {
    const cases = [
      { backfill: true, outcome: 'skipped', broken: false },
      { backfill: false, outcome: 'skipped', broken: true },
      { backfill: true, outcome: 'completed', broken: true },
      { backfill: true, outcome: undefined, broken: false },
    ];
    for (const { backfill, outcome, broken } of cases) {
      const world = quietWorld();
      const { id, row } = await readyJob(world);
      const [executor, admin] = [world.process('executor', 'executor'), world.process('admin', 'backfiller')];
      const { tracker, violations } = world.checks;
      const kept = { table: 'history', key: { day: 'd', id }, before: undefined, after: { id, outcome: outcome ?? '' } } as const;
      const at = { table: 'jobs', key: { id } } as const;
      const running = { ...row, lockOwner: 'run/mine', rev: 2 };
      tracker.see({ by: executor, at: 0, changes: [{ ...at, before: row, after: running }] });
      tracker.see({
        by: executor,
        at: 0,
        changes: [{ ...at, before: running, after: undefined }, ...(outcome === undefined ? [] : [kept])],
      });
      tracker.see({ by: admin, at: 0, changes: [{ ...at, before: undefined, after: { ...row, ...(backfill && { backfill }) } }] });
      expect(violations.list.some(({ rule }) => rule === 'no-resurrection')).toBe(broken);
    }
  });
});

describe('the invariants of limits', () => {
  const start = (claim: string, startedAt: number): Row => ({
    pk: 'limit#h',
    sk: 'slot#0',
    lockOwner: 'slot/job',
    lockExpiresAt: new Date(startedAt + RATE.perMs).toISOString(),
    claim,
    startedAt: new Date(startedAt).toISOString(),
  });
  const seeIn = (invariants: LimitInvariants, by: SimProcess) => (before: Row | undefined, after: Row) =>
    invariants.see({ by, at: 0, changes: [{ table: 'control', key: { pk: 'limit#h', sk: 'slot#0' }, before, after }] });
  const rules = (later: string): readonly string[] => {
    const world = quietWorld();
    const by = world.process('executor', 'executor');
    const violations = new Violations(() => world.time.now);
    const invariants = new LimitInvariants(violations, () => world.time.now);
    const see = seeIn(invariants, by);
    const [first, second] = [start('run/1', world.time.now), start(later, world.time.now + SECOND)];
    see(undefined, first);
    if (later === 'run/1') see(first, second);
    invariants.start(by, 'job', [RATE]);
    if (later !== 'run/1') see(first, second);
    invariants.start(by, 'job', [RATE]);
    return [...new Set(violations.list.map(({ what }) => what.split(' ').slice(1, 3).join(' ')))];
  };

  it('takes a start that the same claim wrote again for one start', () => expect(rules('run/1')).toEqual(['starts in']));

  it('takes the start of a later claim of the same job for another one', () => expect(rules('run/2')).toEqual(['starts of']));
});

describe('the end', () => {
  it('has not come while a schedule waits for an occurrence that was taken out of Timers', async () => {
    const world = quietWorld();
    const admin = world.admin(world.process('admin', 'scheduler'));
    const workItem = { kind: 'plain', workMs: 1, times: 0, delayMs: 0, generations: 0 } as const;
    const until = world.time.now + 5 * SECOND;
    const definition = defineSchedule('short', { job: JOB_TYPES.usual, payload: workItem, every: 'PT2S', until });
    world.time.after(0, () => void admin.schedules.put(definition));
    await world.time.runUntil(world.time.now + SECOND);
    const [{ shard, due } = {}] = world.store.tables.rows('timers');
    const key = { shard: String(shard), due: String(due) };
    await world.store.tables.write({ op: 'delete', table: 'timers', key });
    expect(isQuiet(world)).toBe(false);
    const [row = {}] = world.store.tables.rows('control').filter(isScheduleRow);
    const { nextId: _id, nextNominal: _nominal, nextDue: _due, ...ended } = row;
    await world.store.tables.write({ op: 'put', table: 'control', row: ended });
    expect(isQuiet(world)).toBe(true);
  });

  it('may leave the lock of a process that ended itself, and no other', async () => {
    const world = quietWorld();
    const process = world.process('executor', 'default');
    const held = { lockOwner: 'run/mine', lockExpiresAt: new Date(world.time.now + SECOND).toISOString() };
    await world.store.write(process, { op: 'put', table: 'control', row: { pk: `group#${groupHash('g')}`, sk: 'lock', ...held } });
    checkEnd(world);
    process.kill();
    checkEnd(world);
    expect(world.checks.violations.list).toMatchObject([{ rule: 'nothing-left' }]);
  });
});
