import { describe, expect, test } from 'vitest';
import type { JobState } from '../../../shared/job/job.ts';
import { STATES, TRANSITIONS, waysOf } from '../../../shared/job/transitions.ts';

const ALL = Object.keys(STATES) as JobState[];

function reachable(transitions: readonly (typeof TRANSITIONS)[number][]): Set<string> {
  const reached = new Set<string>(['none']);
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const { source, target } of transitions.flatMap(waysOf)) if (reached.has(source)) reached.add(target);
  }
  return reached;
}

describe('the transition table', () => {
  test('reaches every state', () => expect([...reachable(TRANSITIONS)].toSorted()).toEqual([...ALL, 'none'].toSorted()));

  test('leads out of every state, and out of finished only for an occurrence that is planned again', () => {
    const left = new Set(TRANSITIONS.filter(({ verb }) => verb !== 'plan').flatMap((transition) => transition.from));
    expect(ALL.filter((state) => !left.has(state))).toEqual(['finished']);
  });

  test('leads from every state to finished', () => {
    for (const state of ALL) {
      const reached = new Set<string>([state]);
      for (let before = -1; before !== reached.size;) {
        before = reached.size;
        for (const { source, target } of TRANSITIONS.flatMap(waysOf)) if (reached.has(source)) reached.add(target);
      }
      expect(reached, `from ${state}`).toContain('finished');
    }
  });

  test('has each verb once', () => {
    const verbs = TRANSITIONS.map((transition) => transition.verb);
    expect(verbs).toEqual([...new Set(verbs)]);
  });

  test('names only states that there are, each once per side, and at least one actor', () => {
    for (const { verb, by, from, to } of TRANSITIONS) {
      expect(
        [...from, ...to].filter((state) => state !== 'none' && !ALL.includes(state)),
        verb,
      ).toEqual([]);
      expect([new Set(from).size, new Set(to).size, new Set(by).size], verb).toEqual([from.length, to.length, by.length]);
      expect(Math.min(from.length, to.length, by.length), verb).toBeGreaterThan(0);
    }
  });

  test('makes jobs out of nothing for those who ask, for a schedule and for a batch that ends', () => {
    expect(TRANSITIONS.filter(({ from }) => from.includes('none')).map(({ verb }) => verb)).toEqual([
      'enqueue',
      'schedule',
      'call back',
      'plan',
    ]);
  });

  test('fences every write of a job that exists', () => {
    const unfenced = TRANSITIONS.filter(({ from, write }) => !from.includes('none') && !/ if |rev = seen|as retry|unchanged/.test(write));
    expect(unfenced.map(({ verb }) => verb)).toEqual([]);
  });

  test('sends only after the write that makes a job ready', () => {
    const senders = TRANSITIONS.filter(({ afterwards }) => afterwards?.includes('send'));
    expect(senders.every(({ to }) => to.includes('ready'))).toBe(true);
    const silent = TRANSITIONS.filter(({ to, afterwards }) => to.includes('ready') && afterwards === undefined);
    expect(silent.map(({ verb }) => verb)).toEqual([]);
  });

  test('lets only executors take a job into running', () => {
    expect(
      TRANSITIONS.filter(({ from, to }) => to.includes('running') && !from.includes('running')).map(({ verb, by }) => [verb, by]),
    ).toEqual([['claim', ['executor']]]);
  });
});
