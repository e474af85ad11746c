import { describe, expect, test } from 'vitest';
import { groupHash } from '../../../shared/job/hint.ts';
import { FIFO, ScriptedWorld, STANDARD } from '../exhaustive/scripted-world.ts';
import { momentsOf } from './run-times.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a group', () => {
  test.each([
    ['of the same worker', 'usual'],
    ['of another worker', 'elsewhere'],
  ] as const)(
    'runs no second job beside the first when its message has left the queue and the second is %s (group-message-gone)',
    async (_, type) => {
      const stage = new ScriptedWorld();
      await stage.enqueue('usual', { group: 'g', workMs: 20 * SECOND });
      await stage.pass(5 * SECOND);
      expect(stage.count('running')).toBe(1);
      stage.world.queues.replace(FIFO);
      await stage.enqueue(type, { group: 'g' });
      await stage.pass(5 * SECOND);
      expect(stage.told('lost-claim')).toBeGreaterThan(0);
      await stage.close();
      expect([stage.violations, stage.world.checks.ledger.overlaps, stage.count('finished')]).toEqual([[], 0, 2]);
    },
  );

  test('has its delayed retry brought by the standard queue, which takes a delay for a message (fifo-delay)', async () => {
    const stage = new ScriptedWorld();
    const moments = momentsOf(stage.world);
    const id = await stage.enqueue('usual', { kind: 'flaky', group: 'g' });
    await stage.close();
    const [first, second] = moments.filter(({ verb }) => verb === 'claim').map(({ at }) => at);
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(20 * SECOND);
    expect(Number(second) - Number(first)).toBeLessThan(22 * SECOND);
    expect(stage.world.queues.sends.get(`${id}#2`)).toMatchObject({ sends: 2, forwards: 1 });
    expect([stage.violations, stage.told('reset')]).toEqual([[], 0]);
  });

  test('has its dead letter run at once after a redrive within five minutes, because no hint is like an earlier one (dedup-swallow)', async () => {
    const stage = new ScriptedWorld();
    const id = String(await stage.enqueue('usual', { kind: 'refused', group: 'g' }));
    await stage.pass(10 * SECOND);
    expect(await stage.asOperator((admin) => admin.redrive(id))).toBe('redriven');
    await stage.pass(10 * SECOND);
    expect([stage.world.checks.ledger.starts, stage.count('dead'), stage.told('reset')]).toEqual([2, 1, 0]);
  });

  test.each(['Müller & Söhne', 'g'.repeat(200), '組', ' '])(
    'may be called %j: no send is refused for it (group-charset)',
    async (group) => {
      expect(groupHash(group)).toMatch(/^[\w-]{1,128}$/);
      const stage = new ScriptedWorld();
      await stage.enqueue('usual', { group });
      await stage.pass(10 * SECOND);
      expect([stage.violations, stage.count('finished'), stage.told('send-failed')]).toEqual([[], 1, 0]);
    },
  );
});

describe('ticks', () => {
  test('that come two minutes apart, late, or not at all make no timer late within the horizon (late-tick)', async () => {
    const stage = new ScriptedWorld();
    const moments = momentsOf(stage.world);
    for (let index = 0; index < 60; index++) await stage.enqueue('usual', {}, { delay: HOUR + index * 20 * SECOND });
    await stage.pass(HOUR - 10 * MINUTE);
    // A minute late, two minutes apart, and the one after it is missed.
    for (const minutes of [1, 3, 6, 7, 9, 12, 13, 15, 18, 21, 22, 24, 27, 29])
      stage.world.time.after(minutes * MINUTE, () => void stage.sandboxes.acquire());
    await stage.pass(HOUR);
    const late = moments.filter(({ verb }) => verb === 'claim').map(({ at, dueAt }) => at - dueAt);
    expect(late).toHaveLength(60);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(2 * SECOND);
    expect(stage.violations).toEqual([]);
  });

  test('that are many at once do what one does', async () => {
    const stage = new ScriptedWorld();
    for (let index = 0; index < 20; index++) await stage.enqueue('usual', {}, { delay: HOUR });
    await stage.pass(HOUR - MINUTE);
    for (let tick = 0; tick < 10; tick++) stage.world.time.after(tick * 3, () => void stage.sandboxes.acquire());
    await stage.pass(2 * MINUTE);
    expect([stage.told('timers-fired'), stage.world.checks.ledger.starts, stage.count('finished')]).toEqual([20, 20, 20]);
    expect(stage.violations).toEqual([]);
  });
});

describe('the event source', () => {
  test('may be off for three hours: no job is lost, and waiting costs few messages', async () => {
    const stage = new ScriptedWorld();
    stage.source.on = false;
    stage.tick(5 * HOUR);
    for (let index = 0; index < 40; index++) await stage.enqueue('usual', {});
    await stage.pass(3 * HOUR);
    expect(stage.world.checks.ledger.starts).toBe(0);
    stage.source.on = true;
    stage.source.wake();
    await stage.pass(MINUTE);
    expect(stage.count('finished')).toBe(40);
    const sends = [...stage.world.queues.sends.values()].reduce((sum, one) => sum + one.sends, 0);
    expect(sends / 40).toBeLessThanOrEqual(4);
    await stage.close();
    expect(stage.violations).toEqual([]);
    expect(stage.world.queues.receive(STANDARD, 10)).toEqual([]);
  });
});
