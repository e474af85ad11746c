import { describe, expect, test } from 'vitest';
import { type AcceptedJob, audit, type Evidence, type JobEnding, type Run } from './audit.ts';

const accepted = (...jobs: readonly (readonly [id: string, ...ends: readonly JobEnding[]])[]): ReadonlyMap<string, AcceptedJob> =>
  new Map(jobs.map(([id, ...ends]) => [id, { kind: 'planted', ends }]));
const completed = (...ids: readonly string[]): Evidence['finished'] =>
  new Map(ids.map((id) => [id, { outcome: 'completed', finishedAt: 2_000 }]));
const run = (id: string, startedAt: number, endedAt: number, more: Partial<Run> = {}): Run => ({
  id,
  attempt: 1,
  pid: 1,
  dueAt: 0,
  startedAt,
  endedAt,
  ...more,
});

/** One job of each ending, and nothing wrong. */
const CLEAN: Evidence = {
  accepted: accepted(['a', 'completed'], ['b', 'cancelled'], ['c', 'dead: crash-loop']),
  runs: [run('a', 1_000, 2_000), run('c', 1_000, 1_500, { attempt: 1 }), run('c', 1_500, 1_700, { attempt: 2 })],
  completions: [{ id: 'a', at: 2_001 }],
  refusedZombies: 0,
  finished: new Map([...completed('a'), ['b', { outcome: 'cancelled', finishedAt: 1_000 }]]),
  dead: new Map([['c', 'crash-loop']]),
  unsettled: new Map(),
  locks: [],
  deadMessages: 0,
  zombies: new Set(),
};
const found = (change: Partial<Evidence>): readonly unknown[] => audit({ ...CLEAN, ...change }).map(({ rule, ids }) => [rule, ...ids]);

describe('the audit of a torture', () => {
  test('finds nothing where every job ended as it may', () => expect(found({})).toEqual([]));

  test('finds a job that was accepted and is nowhere', () => {
    expect(found({ accepted: accepted(['a', 'completed'], ['gone', 'completed']) })).toEqual([['lost', 'gone']]);
    // Its handler ran to its end, but nobody recorded that.
    expect(found({ accepted: accepted(['gone', 'completed']), runs: [run('gone', 1, 2)] })).toEqual([['lost', 'gone']]);
  });

  test('finds a job that still has a row, and does not call it lost', () => {
    const unsettled = new Map([['late', 'jobs, of queue/x']]);
    expect(found({ accepted: accepted(['late', 'completed']), unsettled })).toEqual([['row left', 'late in jobs, of queue/x']]);
  });

  test('finds a job that two executors completed', () => {
    const completions = [
      { id: 'a', at: 2_001 },
      { id: 'a', at: 2_002 },
    ];
    expect(found({ completions })).toEqual([['double completion', 'a']]);
  });

  test('finds a job that ended in two ways, or ended and goes on', () => {
    expect(found({ dead: new Map([...CLEAN.dead, ['a', 'failed']]) })).toEqual([
      ['wrong end', 'a'],
      ['double completion', 'a'],
    ]);
    expect(found({ unsettled: new Map([['a', 'timers, of nobody']]) })).toEqual([
      ['double completion', 'a'],
      ['row left', 'a in timers, of nobody'],
    ]);
  });

  test('finds an innocent job that died beside a poison job, and a poison job that did not', () => {
    const both = accepted(['innocent', 'completed'], ['poison', 'dead: crash-loop']);
    const [dead, finished] = [new Map([['innocent', 'crash-loop']]), completed('poison')];
    expect(found({ accepted: both, dead, finished, runs: [], completions: [] })).toEqual([['wrong end', 'innocent', 'poison']]);
  });

  test('finds a cancelled job that completed', () => {
    expect(found({ accepted: accepted(['a', 'cancelled']) })).toEqual([['wrong end', 'a']]);
  });

  test('finds a job that started again after it had completed, whether its executor told or only the table', () => {
    const again = [...CLEAN.runs, run('a', 2_500, 2_600, { attempt: 2 })];
    expect(found({ runs: again })).toEqual([['run after end', 'a']]);
    expect(found({ runs: again, completions: [] })).toEqual([['run after end', 'a']]);
  });

  test('finds jobs of one group that ran at the same time, also behind a longer one', () => {
    const runs = [run('x', 0, 900, { group: 'g' }), run('y', 100, 200, { group: 'g' }), run('z', 500, 600, { group: 'g' })];
    expect(found({ runs })).toEqual([['group overlap', 'y', 'z']]);
    expect(found({ runs: runs.map((one) => ({ ...one, group: one.id })) })).toEqual([]);
    expect(found({ runs: [run('x', 0, 100, { group: 'g' }), run('y', 100, 200, { group: 'g' })] })).toEqual([]);
  });

  test('finds a job that ran twice at the same time', () => {
    expect(found({ runs: [run('c', 0, 500, { pid: 1 }), run('c', 499, 600, { pid: 2, attempt: 2 })] })).toEqual([['job overlap', 'c']]);
  });

  test('lets runs overlap in a process that outlived its kill, but not complete', () => {
    const runs = [run('a', 1_000, 9_000, { group: 'g', pid: 7 }), run('a', 1_500, 2_000, { group: 'g', pid: 8, attempt: 2 })];
    expect(found({ runs, zombies: new Set([7]) })).toEqual([]);
    const completions = [...CLEAN.completions, { id: 'a', at: 9_001 }];
    expect(found({ runs, zombies: new Set([7]), completions })).toEqual([['double completion', 'a']]);
  });

  test('finds a run before its time', () => {
    expect(found({ runs: [run('a', 999, 1_000, { dueAt: 1_000 })] })).toEqual([['early start', 'a']]);
  });

  test('finds locks that were left, and messages that were not taken', () => {
    expect(found({ locks: ['group#x lock'], deadMessages: 2 })).toEqual([
      ['row left', 'group#x lock'],
      ['dead message', '2 in the dead-letter queues'],
    ]);
  });
});
