import { beforeAll, describe, expect, test } from 'vitest';
import { type Covered, inOrder, pairsOf } from './covering.ts';
import { pairs, pairText, SITUATIONS, situationsOf, verbPairs } from './meetings.ts';
import { VERBS } from './verbs/verbs.ts';

let order: readonly Covered[] = [];
beforeAll(() => {
  order = [...inOrder()];
});

const upTo = (strength: number): readonly Covered[] => order.filter((one) => one.strength <= strength);
const verbsOf = ({ verbs }: Covered): string => verbs.map(({ name }) => name).join(' × ');

describe('the order in which all pairs are walked', () => {
  test('has every pair in every situation once', () => {
    const texts = order.map(({ verbs, situation }) => pairText(verbs, situation));
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBe([...pairs()].length);
  });

  test('begins with each pair of verbs that meet', () => {
    const meeting = verbPairs().filter((verbs) => situationsOf(verbs).length > 0);
    const once = upTo(1).slice(0, meeting.length);
    expect(once.map(verbsOf).toSorted()).toEqual(meeting.map((verbs) => verbs.map(({ name }) => name).join(' × ')).toSorted());
  });

  test('has, in strength 1, each verb in each state, with each feature, end and level of History in which it meets another one', () => {
    const met = (all: Iterable<Pick<Covered, 'verbs' | 'situation'>>): readonly string[] =>
      [
        ...new Set(
          [...all].flatMap((one) =>
            one.verbs.flatMap(({ name }) => Object.entries(one.situation).map((part) => `${name} ${part.join(' ')}`)),
          ),
        ),
      ].toSorted();
    expect(VERBS.length).toBeGreaterThan(50);
    expect(met(upTo(1))).toEqual(met(pairs()));
  });

  test('has, in strength 2, each pair of verbs in each state, with each feature, end and level of History', () => {
    const parts = (all: Iterable<Pick<Covered, 'verbs' | 'situation'>>): ReadonlySet<string> =>
      new Set(
        [...all].flatMap(({ verbs, situation }) =>
          Object.entries(situation).map(([name, value]) => `${verbs.map((verb) => verb.name).join()} ${name} ${value}`),
        ),
      );
    expect(parts(upTo(2)).size).toBe(parts(pairs()).size);
    expect(upTo(2).length).toBeLessThan(SITUATIONS.length * 60);
  });

  test('is mixed within a strength, and the same each time', () => {
    const inTurn = upTo(1).map(({ verbs, situation }) => pairText(verbs, situation));
    const mixed = pairsOf(1);
    expect(mixed.toSorted()).toEqual(inTurn.toSorted());
    expect(mixed).not.toEqual(inTurn);
    expect(pairsOf(1)).toEqual(mixed);
  });
});
