import { describe, expect, it } from 'vitest';
import type { Hint } from '../../../../shared/job/hint.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Row, SingleWrite } from '../../../../shared/ports/tables.ts';
import { Violations } from '../check/violations.ts';
import { BulkInvariants } from '../check/bulk-invariants.ts';
import { World } from '../world/world.ts';
import { type FaultPlan, planOf } from './fault-plan.ts';
import { SwarmChaos } from './swarm-chaos.ts';
import { deleteExpired } from './ttl.ts';
import { WIDE_FAULT_NAMES, type WideFault, wideFaultsOf } from './wide-faults.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const CAUSE = 'type#mail#0';

const planWith = (...on: WideFault[]): FaultPlan => planOf(new Map(), new Set(), seededEntropy(1), { on, entropy: seededEntropy(2) });
const worldWith = (...on: WideFault[]): World => new World({ seed: 1, plan: planWith(...on) });

describe('a wide world', () => {
  it('is none of the first hundred, by which mutants are found again', () => {
    for (let seed = 1; seed <= 100; seed++) expect(wideFaultsOf(seed).on).toEqual([]);
  });

  it('is three worlds of five, and each fault is in many of them', () => {
    const seeds = Array.from({ length: 1_000 }, (_, index) => wideFaultsOf(5_000_000 + index).on);
    for (const fault of WIDE_FAULT_NAMES) expect(seeds.filter((on) => on.includes(fault)).length).toBeGreaterThan(30);
    expect(seeds.filter((on) => on.length === 0).length).toBeGreaterThan(300);
  });

  it('has nothing that goes wrong once its faults have stopped', () => {
    const plan = planWith('rivals');
    expect(plan.wide.strikes('rivals', 1)).toBe(true);
    plan.stop();
    expect(plan.wide.strikes('rivals', 1)).toBe(false);
  });
});

describe('an index that lags', () => {
  const suspended = (id: string): SingleWrite => ({
    op: 'put',
    table: 'suspended',
    row: { id, causeLeaf: CAUSE, suspendedAt: '2026-01-01T00:00:00.000Z' },
  });

  it('goes backward between two reads, and knows in the end what its table knows', async () => {
    const world = worldWith('index-lag');
    const by = world.process('executor', 'executor');
    const query = { table: 'suspended', index: 'byCause', partition: CAUSE, limit: 100 } as const;
    const found: number[] = [];
    for (let index = 0; index < 20; index++) await world.store.write(by, suspended(`job-${index}`));
    for (let at = 0; at < 60; at++) {
      await world.time.runUntil(world.time.now + SECOND);
      found.push((await world.store.query(query)).rows.length);
    }
    expect(found.some((count, at) => count < (found[at - 1] ?? 0))).toBe(true);
    await world.time.runUntil(world.time.now + MINUTE);
    expect((await world.store.query(query)).rows).toHaveLength(20);
  });
});

describe('a process that thaws', () => {
  const order = async (...on: WideFault[]): Promise<readonly string[]> => {
    const world = worldWith(...on);
    const process = world.process('executor', 'executor');
    const seen: string[] = [];
    process.freeze('pause');
    process.deliver(SECOND, () => seen.push('reply'));
    void process.clock.wait(5 * SECOND).then(() => seen.push('timer'));
    await world.time.runUntil(world.time.now + MINUTE);
    process.thaw('pause');
    await world.time.runUntil(world.time.now + SECOND);
    return seen;
  };

  it('hears what arrived in its order, or of its timers first', async () => {
    expect(await order()).toEqual(['reply', 'timer']);
    expect(await order('timers-first')).toEqual(['timer', 'reply']);
  });
});

describe('a hot partition', () => {
  it('is throttled while the others are not, and one shard of the timers stays so for two hours', () => {
    const world = worldWith('hot-partition');
    const { hot } = new SwarmChaos(world);
    const read = (partition: string) => ({ op: 'query', writes: [], stale: true, reads: { table: 'timers', partition } }) as const;
    hot.stick();
    world.plan.stop();
    const shards = Array.from({ length: 64 }, (_, shard) => shard.toString(16).padStart(2, '0'));
    const throttled = (): readonly string[] => shards.filter((shard) => hot.throttles(read(shard)));
    expect(throttled()).toHaveLength(1);
    world.time.now += 121 * MINUTE;
    expect(throttled()).toEqual([]);
  });
});

describe('the time to live', () => {
  it('deletes what has expired, some time later, and not what was written again to live longer', async () => {
    const world = worldWith('ttl');
    deleteExpired(world);
    const by = world.process('executor', 'executor');
    const seconds = (ms: number): number => (world.time.now + ms) / SECOND;
    const put = (sk: string, expiresAt: number): Promise<unknown> =>
      world.store.write(by, { op: 'put', table: 'control', row: { pk: 'acquire', sk, expiresAt } });
    await put('00', seconds(MINUTE));
    await put('01', seconds(MINUTE));
    await put('01', seconds(10_000 * MINUTE));
    const left = (): readonly unknown[] => world.store.tables.rows('control').map(({ sk }) => sk);
    await world.time.runUntil(world.time.now + MINUTE - 1);
    expect(left()).toEqual(['00', '01']);
    await world.time.runUntil(world.time.now + 49 * 60 * MINUTE);
    expect(left()).toEqual(['01']);
  });
});

describe('what a queue says of itself', () => {
  it('is wrong, old or nothing now and then, and in the end nothing at all', () => {
    const { metrics } = worldWith('wrong-metrics').queues;
    const queue = { worker: 'default', lane: 'default', kind: 'standard' } as const;
    const told = Array.from({ length: 100 }, () => metrics.tell(queue, 7));
    expect(told).toContain(undefined);
    expect(told).toContain(7);
    expect(told.some((visible) => visible !== undefined && visible !== 7)).toBe(true);
    metrics.silent = true;
    expect(metrics.tell(queue, 7)).toBeUndefined();
  });
});

describe('a FIFO queue', () => {
  const FIFO = { worker: 'default', lane: '', kind: 'fifo' } as const;
  const names = (world: World): readonly string[] => world.queues.receive(FIFO, 10).map(({ body }) => (JSON.parse(body) as Hint).id);

  async function withThree(...on: WideFault[]): Promise<World> {
    const world = worldWith(...on);
    const sender = world.queues.sender(world.process('client', 'client'), () => 0);
    const base = { worker: 'default', lane: 'default', delayMs: 0, n: 1, groupHash: 'g', alone: false } as const;
    void sender.send(['a', 'b', 'c'].map((id) => ({ ...base, id })));
    await world.time.runUntil(world.time.now + SECOND);
    return world;
  }

  it('gives what comes back before what is behind it in its group', async () => {
    const world = await withThree();
    const [, second] = world.queues.receive(FIFO, 2);
    world.queues.acknowledge(second === undefined ? [] : [second]);
    expect(names(world)).toEqual([]);
    world.time.now += 100 * MINUTE;
    expect(names(world)).toEqual(['a', 'c']);
  });

  it('moves a message that was received too often to its dead-letter queue, and goes on with what is behind it', async () => {
    const world = await withThree('receives-used-up');
    const { maxReceiveCount } = world.deployment.settings;
    for (let receive = 1; receive <= maxReceiveCount; receive++) {
      expect(world.queues.receive(FIFO, 1)).toHaveLength(1);
      world.time.now += 100 * MINUTE;
    }
    expect(names(world)).toEqual(['b', 'c']);
    expect([world.plan.injected.get('receives-used-up'), world.queues.astray]).toEqual([1, 1]);
  });
});

describe('the invariants of bulk actions', () => {
  it('allows no write to the row of one that another process holds', () => {
    const world = worldWith();
    const [first, second] = [world.process('admin', 'operator'), world.process('admin', 'rival')];
    const violations = new Violations(() => 0);
    const invariants = new BulkInvariants(violations);
    const row = (lockOwner: string, until: number): Row => ({
      pk: 'bulk',
      sk: 'b',
      lockOwner,
      lockExpiresAt: new Date(until).toISOString(),
    });
    const see = (by: typeof first, at: number, before: Row | undefined, after: Row): void =>
      invariants.see({ by, at, changes: [{ table: 'control', key: { pk: 'bulk', sk: 'b' }, before, after }] });
    see(first, 0, undefined, row('mine', MINUTE));
    see(second, 2 * MINUTE, row('mine', MINUTE), row('taken', 3 * MINUTE));
    expect(violations.list).toEqual([]);
    see(first, 2 * MINUTE, row('taken', 3 * MINUTE), row('mine', 3 * MINUTE));
    expect(violations.list.map(({ rule }) => rule)).toEqual(['live-lease']);
  });
});
