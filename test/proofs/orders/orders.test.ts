import { describe, expect, test } from 'vitest';
import { drawOf } from './draw.ts';
import { pairs, pairText, parsePair } from './meetings.ts';
import { runOrder } from './run-order.ts';
import { ADMIN_ARGUMENTS, BULK_ACTIONS, SCHEDULE_ARGUMENTS } from './verbs/arguments.ts';
import { VERBS } from './verbs/verbs.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { runText, walkPair } from './walk-pair.ts';
import { walk } from './walk.ts';
import type { Verb } from './verbs/verb.ts';
import { ROLES } from './verbs/verb.ts';

const meeting = (text: string) => {
  const found = parsePair(text);
  if (found === undefined) throw new Error(`There is no ${text}.`);
  return { ...found, faults: [] };
};
const CANCEL_AND_EXECUTE = 'cancel x execute @ ready/plain/plain/outcome';

describe('the verbs', () => {
  test('are all that an operator has: each new one is walked', () => {
    const { world } = new ScriptedWorld();
    const { schedules, ...admin } = world.admin(world.process('admin', 'operator'));
    const names = (of: object): readonly string[] => Object.keys(of).toSorted();
    expect(names(ADMIN_ARGUMENTS)).toEqual(names(admin).filter((name) => name !== 'bulk' && name !== 'forTenant'));
    expect(names(SCHEDULE_ARGUMENTS)).toEqual(names(schedules));
    expect(Object.entries(BULK_ACTIONS).every(([name, { verb }]) => name === verb)).toBe(true);
  });

  test('have names of their own and come from every role', () => {
    expect(new Set(VERBS.map(({ name }) => name)).size).toBe(VERBS.length);
    expect(new Set(VERBS.map(({ role }) => role))).toEqual(new Set(ROLES));
  });

  test('meet in some pair each', () => {
    const met = new Set<string>();
    for (const { verbs } of pairs()) for (const { name } of verbs) met.add(name);
    expect(VERBS.map(({ name }) => name).filter((name) => !met.has(name))).toEqual([]);
  });
});

describe('the orders of a pair', () => {
  test('are walked with every outcome that there is without pruning', async () => {
    const { verbs, situation } = meeting('reschedule-later x breakpoint @ ready/plain/plain/outcome');
    const seen = async (prune: boolean) => {
      const outcomes = new Set<string>();
      const { orders } = await walk((choose) => runOrder({ verbs, situation, faults: [] }, choose), {
        prune,
        see: ({ outcome }) => void outcomes.add(outcome),
      });
      return { orders, outcomes: [...outcomes].toSorted() };
    };
    const [pruned, whole] = [await seen(true), await seen(false)];
    expect(pruned.outcomes).toEqual(whole.outcomes);
    expect(pruned.outcomes.length).toBeGreaterThan(1);
    expect(pruned.orders).toBeLessThan(whole.orders);
  });

  test('break no rule, without faults and with each single one', async () => {
    const { verbs, situation } = meeting(CANCEL_AND_EXECUTE);
    const report = await walkPair(verbs, situation, { most: 2_000 });
    expect(report.broken).toEqual([]);
    expect(report.capped).toBe(0);
    expect(report.walks).toBeGreaterThan(10);
  });

  test('do the same again by their text', async () => {
    const [first, second] = [await runText(meeting(CANCEL_AND_EXECUTE), '1111111'), await runText(meeting(CANCEL_AND_EXECUTE), '1111111')];
    expect(second).toEqual(first);
    expect(first.answers).toEqual({ A: 'finished', B: 'done' });
  });

  test('find a planted race: an operator who writes without looking whether the row is the same', async () => {
    const { verbs, situation } = meeting('setPriority x setPriority @ ready/plain/plain/outcome');
    const careless: Verb = {
      name: 'careless',
      role: 'operator',
      async act({ stage: { world }, id }) {
        const { tables } = world.ports(world.process('admin', 'careless'));
        const row = await tables.get('jobs', { id });
        if (row !== undefined) await tables.write({ op: 'put', table: 'jobs', row: { ...row, priority: 3, rev: Number(row['rev']) + 1 } });
      },
    };
    const report = await walkPair([verbs[0] as Verb, careless], situation, { most: 500, pick: () => [] });
    expect(report.broken.flatMap(({ findings }) => findings).join()).toContain('rev-grows');
  });
});

test('a draw is the same again from the same base, and another one from another', () => {
  const text = (base: number, draw: number): string => {
    const { verbs, situation } = drawOf(base, draw);
    return pairText(verbs, situation);
  };
  expect(text(7, 3)).toBe(text(7, 3));
  expect(new Set([text(7, 1), text(7, 2), text(8, 1), text(8, 2)]).size).toBeGreaterThan(2);
});
