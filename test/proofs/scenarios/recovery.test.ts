import { describe, expect, test } from 'vitest';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { workItemOf, ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { planOf, type RateFault } from '../simulation/faults/fault-plan.ts';
import type { World } from '../simulation/world/world.ts';
import type { StoreChaos } from '../simulation/world/sim-tables.ts';
import { JOB_TYPES } from '../simulation/workload/work-item-jobs.ts';
import { recordFigures } from '../../support/figures.ts';
import { type Moment, momentsOf } from './run-times.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A message is received, and a job claimed, within this of being sent. */
const QUEUE_DELAY_MS = SECOND;
const SWEEP_PERIOD_MS = MINUTE;
/** The scan, before it reaches a row. */
const SWEEP_MS = SECOND;

const claimsOf = (moments: readonly Moment[], id: string | undefined): readonly number[] =>
  moments.filter((one) => one.id === id && one.verb === 'claim').map(({ at }) => at);

describe('recovery', () => {
  test('of a job whose executor died takes at most the rest of its lease, the margin, a sweep period and the way through the queue', async () => {
    let worst = 0;
    for (let second = 1; second <= 60; second += 2) {
      const stage = new ScriptedWorld({ settings: { executorTimeoutMs: 90_000 } });
      const moments = momentsOf(stage.world);
      const { executorTimeoutMs, leaseMarginMs, sweepSkewMs } = stage.world.deployment.settings;
      stage.tick(10 * MINUTE);
      const id = await stage.enqueue('usual', { workMs: 80 * SECOND });
      await stage.pass(second * SECOND);
      for (const process of stage.sandboxes.processes) if (process.role === 'executor') process.kill();
      const killedAt = stage.now;
      await stage.pass(6 * MINUTE);
      const [first, again] = claimsOf(moments, id);
      const leaseLeft = Number(first) + executorTimeoutMs - killedAt;
      const bound = leaseLeft + leaseMarginMs + sweepSkewMs + SWEEP_PERIOD_MS + SWEEP_MS + QUEUE_DELAY_MS;
      expect(Number(again) - killedAt).toBeLessThanOrEqual(bound);
      worst = Math.max(worst, Number(again) - killedAt);
      expect(stage.violations).toEqual([]);
    }
    expect(worst).toBeGreaterThan(100 * SECOND);
  });

  test('of a lost send takes at most its redispatch time, a sweep period and the way through the queue', async () => {
    let worst = 0;
    for (let second = 0; second < 60; second += 2) {
      const rates = new Map<RateFault, number>([['message-lost', 1]]);
      const stage = new ScriptedWorld({ plan: planOf(rates, new Set(), seededEntropy(1)) });
      const moments = momentsOf(stage.world);
      const { firstRedispatchAfterMs, sweepSkewMs } = stage.world.deployment.settings;
      stage.tick(20 * MINUTE);
      await stage.pass(second * SECOND);
      const id = await stage.enqueue('usual', {});
      const sentAt = stage.now;
      rates.set('message-lost', 0);
      await stage.pass(10 * MINUTE);
      const took = Number(claimsOf(moments, id)[0]) - sentAt;
      expect(took).toBeLessThanOrEqual(firstRedispatchAfterMs + sweepSkewMs + SWEEP_PERIOD_MS + SWEEP_MS + QUEUE_DELAY_MS);
      worst = Math.max(worst, took);
    }
    expect(worst).toBeGreaterThan(6 * MINUTE);
  });
});

describe('a chain of 200 jobs', () => {
  test('needs no rescue where Lambda lets it go on', async () => {
    const stage = new ScriptedWorld();
    await stage.enqueue('usual', { kind: 'parent', generations: 200, workMs: 1 });
    await stage.close();
    expect([stage.violations, stage.count('finished'), stage.told('reset')]).toEqual([[], 201, 0]);
  });

  test('comes to its end where Lambda drops each sixteenth hop, at the price of a rescue each', async () => {
    const stage = new ScriptedWorld({ run: ['hop-limit'] });
    await stage.enqueue('usual', { kind: 'parent', generations: 200, workMs: 1 });
    await stage.close();
    const dropped = stage.world.plan.injected.get('hop-dropped') ?? 0;
    expect([stage.violations, stage.count('finished')]).toEqual([[], 201]);
    expect(dropped).toBeGreaterThanOrEqual(12);
    expect(stage.told('reset')).toBe(dropped);
  });
});

/** A store that answers nobody until it is told to, and counts what it is asked in each minute. */
class Outage implements StoreChaos {
  down = false;
  readonly perMinute = new Map<number, number>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  faultOf(): 'unavailable' | undefined {
    const minute = Math.floor(this.#world.time.now / MINUTE);
    this.perMinute.set(minute, (this.perMinute.get(minute) ?? 0) + 1);
    return this.down ? 'unavailable' : undefined;
  }

  /** The most requests of one minute from `from` to `until`. */
  most(from: number, until: number): number {
    return Math.max(
      0,
      ...[...this.perMinute].filter(([minute]) => minute * MINUTE >= from && minute * MINUTE < until).map(([, count]) => count),
    );
  }

  latency(): number {
    return 2;
  }

  pauseMs(): number {
    return 0;
  }

  lateMs(): number {
    return 0;
  }
}

test('after three hours in which every call failed, the backlog is worked off within an hour, and no minute asks more than 3.2 times as much as before', async () => {
  const rates = new Map<RateFault, number>();
  let outage = undefined as unknown as Outage;
  // Two executors, a job at a time, 2 s each: 60 jobs a minute, twice of what comes in.
  const stage = new ScriptedWorld({
    plan: planOf(rates, new Set(), seededEntropy(1)),
    settings: { maxConcurrency: 2 },
    chaos: (world) => (outage = new Outage(world)),
  });
  stage.source.batch = () => 1;
  stage.tick(7 * HOUR);
  const start = stage.now;
  // 24 jobs a minute come in by themselves, 6 are timers that fall due, also while nothing answers.
  for (let at = 0; at < 5 * HOUR; at += 10 * SECOND) await stage.enqueue('usual', { workMs: 2 * SECOND }, { delay: HOUR + at });
  for (let at = 2_500; at < 5 * HOUR; at += 2_500) {
    if (at > HOUR && at < 4 * HOUR) continue;
    stage.world.time.after(
      at,
      () =>
        void stage.world
          .client(stage.world.process('client', 'producer'))
          .enqueue(JOB_TYPES.usual, workItemOf({ workMs: 2 * SECOND }))
          .catch(() => {}),
    );
  }
  await stage.pass(HOUR);
  [outage.down, stage.source.on] = [true, false];
  rates.set('send-failed', 1);
  await stage.pass(3 * HOUR);
  const during = outage.most(start + HOUR, start + 4 * HOUR);
  [outage.down, stage.source.on] = [false, true];
  rates.set('send-failed', 0);
  stage.source.wake();
  await stage.pass(HOUR);
  const steady = outage.most(start + 30 * MINUTE, start + HOUR);
  const after = outage.most(start + 4 * HOUR, start + 5 * HOUR);
  const overdue = stage.world.store.tables.rows('jobs').filter(({ dueAt }) => Date.parse(String(dueAt)) < stage.now - 2 * MINUTE);
  expect(overdue).toHaveLength(0);
  // Twice as many sandboxes are busy then, and each asks for the operators' rules every five seconds: that is what lies above three.
  expect(Math.max(during, after)).toBeLessThanOrEqual(3.2 * steady);
  await stage.close();
  expect(stage.violations).toEqual([]);
  recordFigures('scenario-outage', { requestsPerMinuteSteady: steady, requestsPerMinuteAtMost: Math.max(during, after) });
});
