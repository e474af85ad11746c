import { describe, expect, test } from 'vitest';
import { flowNamed } from '../exhaustive/flows/flows.ts';
import { runFlow } from '../exhaustive/run-flow.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import type { Row, TableName } from '../../../shared/ports/tables.ts';
import { momentsOf } from './run-times.ts';
import { makeUnreadable } from '../simulation/faults/make-unreadable.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a type that fails as a whole', () => {
  test('has its dead letters spread over the leaves of their indexes, so that burying is never throttled for long (bury-storm)', async () => {
    const stage = new ScriptedWorld();
    for (let index = 0; index < 400; index++) await stage.enqueue('usual', { kind: 'refused', workMs: 1 });
    await stage.pass(MINUTE);
    const rows = stage.world.store.tables.rows('deadLetters');
    expect(rows).toHaveLength(400);
    for (const leaf of ['typeLeaf', 'fingerprintLeaf'] as const) {
      const shares = new Map<string, number>();
      for (const row of rows) shares.set(String(row[leaf]), (shares.get(String(row[leaf])) ?? 0) + 1);
      expect(shares.size).toBe(16);
      expect(Math.max(...shares.values())).toBeLessThan(400 * 0.12);
    }
  });
});

describe('a unique key', () => {
  test('that another job owns by the time its job ends is left out of the completion, and stays with its owner (key-outlived)', async () => {
    const stage = new ScriptedWorld();
    await stage.enqueue('usual', {}, { key: { value: 'k', for: HOUR }, delay: 2 * HOUR });
    await stage.pass(HOUR + MINUTE);
    const second = await stage.enqueue('usual', {}, { key: { value: 'k', for: DAY }, delay: 4 * HOUR });
    stage.tick(2 * HOUR);
    await stage.pass(2 * HOUR);
    expect(stage.count('finished')).toBe(1);
    expect(await stage.enqueue('usual', {}, { key: { value: 'k', for: DAY } })).toBe(second);
    await stage.close();
    expect([stage.violations, stage.count('finished'), stage.told('lost-lease')]).toEqual([[], 2, 0]);
  });
});

describe('a timer that was moved', () => {
  test('is found and cancelled although nothing has fired for a weekend and its due time is long past (pointer-expired)', async () => {
    const stage = new ScriptedWorld();
    const id = String(await stage.enqueue('usual', {}, { delay: HOUR }));
    await stage.asClient((client) => client.reschedule(id, { delay: 5 * HOUR }));
    const pointer = stage.world.store.tables.rows('control').find(({ pk }) => String(pk).startsWith('moved#')) as Row;
    const due = stage.now + 5 * HOUR;
    expect(Number(pointer['expiresAt']) * SECOND - due).toBeGreaterThanOrEqual(34.9 * DAY);
    await stage.pass(3 * DAY);
    expect(await stage.asClient((client) => client.cancel(id))).toBe('cancelled');
    await stage.close();
    expect(stage.violations).toEqual([]);
  });
});

describe('a lost reply', () => {
  test.each(['retry-soon', 'retry-soon-grouped', 'snooze-soon', 'give-back'])(
    'at any request of %s leaves nothing for the sweeper: the writer knows its own write, and sends (lost-reply-on-release)',
    async (name) => {
      const flow = flowNamed(name);
      const { points } = await runFlow(flow, []);
      for (const { number } of points.filter(({ faults }) => faults.includes('lost-reply'))) {
        const run = await runFlow(flow, [{ at: number, fault: 'lost-reply' }]);
        expect([number, run.findings, run.rescues]).toEqual([number, [], 0]);
      }
    },
  );
});

describe('a row that cannot be read', () => {
  /** The first row of a table as the product meets it, made unreadable. */
  const spoil = async (stage: ScriptedWorld, table: TableName): Promise<void> => {
    const [row] = stage.world.store.tables
      .rows(table)
      .toSorted((a, b) => String(a['due'] ?? a['id']).localeCompare(String(b['due'] ?? b['id'])));
    await makeUnreadable(stage.world, table, row as Row);
  };

  test('at the head of each table delays none of its neighbours', async () => {
    const stage = new ScriptedWorld();
    const moments = momentsOf(stage.world);
    stage.deploy(1);
    for (let index = 0; index < 10; index++) await stage.enqueue('later', {});
    await stage.pass(10 * SECOND);
    stage.deploy(2);
    for (let index = 0; index < 60; index++) await stage.enqueue('usual', {}, { delay: HOUR });
    stage.source.on = false;
    for (let index = 0; index < 10; index++) await stage.enqueue('usual', {});
    for (const table of ['suspended', 'timers', 'jobs'] as const) await spoil(stage, table);
    stage.source.on = true;
    stage.source.wake();
    stage.tick(2 * HOUR);
    await stage.pass(2 * HOUR);
    expect([stage.count('dead'), stage.count('finished')]).toEqual([3, 77]);
    const late = moments
      .filter(({ verb, dueAt }) => verb === 'claim' && dueAt > Date.UTC(2026, 0, 1, 0, 30))
      .map(({ at, dueAt }) => at - dueAt);
    expect(late).toHaveLength(59);
    expect(Math.max(...late)).toBeLessThan(2 * SECOND);
    await stage.close();
    expect(stage.violations).toEqual([]);
  });
});
