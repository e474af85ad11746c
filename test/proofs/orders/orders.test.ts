import { describe, expect, test } from 'vitest';
import { drawOf } from './draw.ts';
import { compareWalk } from './compare-walk.ts';
import { faultText, type OrderFault, parseFaults, type Struck } from './faults.ts';
import { type Meeting, pairs, pairText, parsePair } from './meetings.ts';
import { runOrder } from './run-order.ts';
import { ADMIN_ARGUMENTS, BULK_ACTIONS, SCHEDULE_ARGUMENTS } from './verbs/arguments.ts';
import { VERBS } from './verbs/verbs.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { runText, walkPair } from './walk-pair.ts';
import { type Choose, walk } from './walk.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import { TEST_SEED } from '../../support/test-seed.ts';
import type { Verb } from './verbs/verb.ts';
import { ROLES } from './verbs/verb.ts';

const meeting = (text: string) => {
  const found = parsePair(text);
  if (found === undefined) throw new Error(`There is no ${text}.`);
  return { ...found, faults: [] };
};
/** Their answers tell rows that are there for people only, and whose order does not matter. */
const LISTS: ReadonlySet<string> = new Set([
  'audit',
  'auditPage',
  'statistics',
  'statisticsBy',
  'heartbeats',
  'workers',
  'errorGroups',
  'bulks',
]);
const FAULTS: readonly OrderFault[] = ['late-write', 'gone-before', 'gone-after', 'lost-reply', 'old-read'];

/** One of the requests that a fault can strike, if there is any. */
function anyOf(possible: readonly Struck[], fault: OrderFault, entropy: Entropy): readonly (readonly Struck[])[] {
  const places = possible.filter((one) => one.fault === fault);
  const place = places[Math.floor(entropy.random() * places.length)];
  return place === undefined ? [] : [[place]];
}
/** Time passes wherever it can. */
const slowly: Choose = (moves) =>
  Math.max(
    0,
    moves.findIndex(({ time }) => time),
  );
/** The executor goes first wherever it can. */
const ORDER = 'B1.write-jobs B2.query-control time B3.write-jobs B4.putAll-history B5.write-control B6.write-control';
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

  test('are walked with the outcomes of orders in which time passes before a request that is under way', async () => {
    const { verbs, situation } = meeting('enqueue-keep-latest x execute @ ready/key/snoozing/outcome');
    const outcomes = new Set<string>();
    await walk((choose) => runOrder({ verbs, situation, faults: [] }, choose), { see: ({ outcome }) => void outcomes.add(outcome) });
    const late = await runOrder({ ...meeting('enqueue-keep-latest x execute @ ready/key/snoozing/outcome'), whole: true }, slowly);
    expect(outcomes).toContain(late.outcome);
  });

  test.each([
    ['of any verbs', () => true],
    ['with a foreign worker', ({ verbs }: Meeting) => verbs.some(({ role }) => role === 'foreign')],
    ['with a worker outside Lambda and its heartbeats', ({ verbs }: Meeting) => verbs.some(({ role }) => role === 'outside')],
    ['with an executor', ({ verbs }: Meeting) => verbs.some(({ role }) => role === 'executor')],
  ])('%s are walked with every outcome of orders that are drawn at random and not pruned', async (_, isMeant) => {
    const entropy = seededEntropy(TEST_SEED);
    let compared = 0;
    for (let number = 0; compared < 2; number++) {
      const { verbs, situation } = drawOf(TEST_SEED, number);
      if (!isMeant({ verbs, situation }) || verbs.length > 2 || verbs.some(({ name }) => LISTS.has(name))) continue;
      const { possible } = await runText({ verbs, situation, faults: [] }, '');
      for (const faults of [[], ...FAULTS.flatMap((fault) => anyOf(possible, fault, entropy))]) {
        const result = await compareWalk({ verbs, situation }, faults, { entropy, times: 12, most: 30 });
        if (result !== undefined) compared++;
        const where = `${pairText(verbs, situation)} ${faultText(faults)}, draw ${number} of NIGHTCREW_TEST_SEED=${TEST_SEED}`;
        expect(result?.missed ?? [], where).toEqual([]);
      }
    }
  });

  test.each([
    ['outside x redriveMany @ expired/group/continuing/outcome', 'A3:late-write', 'a late write that changed nothing when it arrived'],
    ['fetch-extend-and-complete x runNow @ stopped/key/plain/durable', 'A2:late-write', 'the same, of a foreign worker'],
    ['execute x fetch-and-complete @ expired/group/continuing/outcome', 'A5:gone-before', 'what an actor still does before it is gone'],
    ['execute x fetch-and-complete @ expired/group/continuing/outcome', 'A2:late-write', 'what time brings about in two processes'],
    ['cancel-and-wait x fetch-and-fail @ retrying/key/flaky/full', '', 'a timer that another one overtakes'],
  ])('of %s with %s miss nothing: %s', async (pair, faults) => {
    const terms = { entropy: seededEntropy(TEST_SEED), times: 30, most: 2_000 };
    const result = await compareWalk(meeting(pair), parseFaults(faults) ?? [], terms);
    expect(result?.missed, `NIGHTCREW_TEST_SEED=${TEST_SEED}`).toEqual([]);
  });

  test('break no rule, without faults and with each single one', async () => {
    const { verbs, situation } = meeting(CANCEL_AND_EXECUTE);
    const report = await walkPair(verbs, situation, { most: 60 });
    expect(report.broken).toEqual([]);
    expect(report.walks).toBeGreaterThan(10);
    expect((await walkPair(verbs, situation, { most: 300, pick: () => [] })).capped).toBe(0);
  });

  test('do the same again by their text', async () => {
    const [first, second] = [await runText(meeting(CANCEL_AND_EXECUTE), ORDER), await runText(meeting(CANCEL_AND_EXECUTE), ORDER)];
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
