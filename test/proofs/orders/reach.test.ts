import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HISTORY_LEVELS } from '../../../shared/job/history-level.ts';
import { fromRoot } from '../../architecture/source-files.ts';
import { FLOWS } from '../exhaustive/flows/flows.ts';
import { FAULT_NAMES } from '../simulation/faults/fault-plan.ts';
import { drawOf } from './draw.ts';
import { ORDER_FAULTS } from './faults.ts';
import { parsePair, situationsOf } from './meetings.ts';
import { VERBS } from './verbs/verbs.ts';
import { runText } from './walk-pair.ts';

/** Verbs that meet others at a job, in the orders. */
const VERBS_THAT_MEET = {
  'workers outside Lambda': ['outside'],
  'foreign workers': ['fetch-and-complete', 'fetch-and-fail', 'fetch-and-bury', 'fetch-and-unlock'],
  'renewals by foreign workers': ['fetch-extend-and-complete'],
  'a plain enqueue': ['enqueue'],
  'an enqueue in a transaction of the caller': ['prepare'],
  'a cancel by a filter': ['cancelWhere'],
  'priority rules': ['overridePriority', 'clearPriority'],
  'actions on many jobs': ['bulk.cancel', 'bulk.redrive', 'bulk.move', 'bulk.bury'],
  'batches that are sealed and cancelled': ['seal-batch', 'cancel-batch', 'sealBatch', 'cancelBatch'],
  schedules: ['schedules.put', 'schedules.pause', 'schedules.resume', 'schedules.delete'],
} as const;

/** Faults of a request of the first verb of a pair, by what it asks for. */
const FAULTS_OF_REQUESTS = [
  ['old rules in an executor', 'execute x suspend @ ready/plain/plain/outcome', 'query control rules', 'old-read'],
  ['a late write of an action on many jobs', 'bulk.cancel x execute @ ready/plain/plain/outcome', '', 'late-write'],
  ['a lost reply to the seal of a batch', 'seal-batch x execute @ ready/open-batch/plain/outcome', '', 'lost-reply'],
  ['the death of who changes a schedule', 'schedules.put x execute @ ready/schedule/plain/outcome', '', 'gone-after'],
  ['a lost reply to a worker outside Lambda', 'outside x cancel @ ready/plain/plain/outcome', '', 'lost-reply'],
] as const;

/** What no pair of verbs reaches, by the test that does. */
const TESTS = {
  'clocks that differ in workers outside Lambda': [
    'test/proofs/simulation/outside/outside-groups.test.ts',
    'a group is exclusive in workers of every kind',
  ],
  'a heartbeat whose request goes wrong': ['test/race/renewals.test.ts', 'and arrives after the next one does not shorten the lease'],
  'several receives of one worker at once': [
    'test/race/outside-locks.test.ts',
    'is renewed with its job, although another receive of the same worker finds the group held',
  ],
  'a worker that is stopped with messages in hand': [
    'test/flow/outside-stop.test.ts',
    'a worker that is stopped gives back at once what waits in its hands',
  ],
  'a limit that changes while jobs are parked': [
    'test/features/limits/flow/limits-deployed.test.ts',
    'a limit that a deployment raised lets those who are parked start when the next job comes by',
  ],
  'a type that is switched off on one worker': [
    'test/flow/type-on-worker.test.ts',
    'does not start there, runs elsewhere, and is resumed when it is switched on',
  ],
  'messages of a FIFO queue that come back': [
    'test/proofs/simulation/faults/wide-faults.test.ts',
    'gives what comes back before what is behind it in its group',
  ],
  'the event log while it is switched': [
    'test/features/events/flow/events.test.ts',
    'off and on takes effect within five seconds, and costs one read in that time',
  ],
} as const;

const named = (name: string) => VERBS.find((verb) => verb.name === name);

describe('what the first walks of orders left out', () => {
  test.each(Object.entries(VERBS_THAT_MEET))('an executor and an operator meet %s', (_what, names) => {
    for (const other of ['execute', 'delete']) {
      for (const name of names) {
        const verbs = [named(other), named(name)].flatMap((verb) => verb ?? []);
        expect(verbs.length === 2 && situationsOf(verbs).length, `${other} and ${name}`).toBeGreaterThan(0);
      }
    }
  });

  test.each(FAULTS_OF_REQUESTS)('%s can strike', async (_what, pair, what, fault) => {
    const meeting = parsePair(pair);
    if (meeting === undefined) throw new Error(`There is no ${pair}.`);
    const { possible } = await runText({ ...meeting, faults: [] }, '');
    expect(possible.filter((one) => one.actor === 'A' && one.fault === fault).map((one) => one.what)).toContainEqual(
      expect.stringContaining(what),
    );
  });

  test('every level of History is met, and every fault of a request', () => {
    const [execute, cancel] = [named('execute'), named('cancel')];
    const levels = situationsOf([execute, cancel].flatMap((verb) => verb ?? [])).map(({ history }) => history);
    expect(new Set(levels)).toEqual(new Set(HISTORY_LEVELS));
    expect(ORDER_FAULTS).toContain('old-read');
  });

  test('three verbs meet in some draws', () => {
    const draws = Array.from({ length: 60 }, (_, number) => drawOf(1, number).verbs.length);
    expect(new Set(draws)).toEqual(new Set([2, 3]));
  });

  test('jobs of one delivery batch are neighbours in flows with every fault, also where one snoozes or continues', () => {
    const flows = FLOWS.map(({ name }) => name);
    for (const flow of ['complete-neighbours', 'complete-two-of-a-group', 'snooze-before-a-neighbour', 'continue-before-a-neighbour'])
      expect(flows).toContain(flow);
  });

  test('clocks differ, and messages of a FIFO queue are used up, in the simulation', () => {
    for (const fault of ['clock-skew', 'clock-jump', 'receives-used-up'] as const) expect(FAULT_NAMES).toContain(fault);
  });

  test.each(Object.entries(TESTS))('%s: a test has that', (_what, [file, title]) => {
    expect(readFileSync(fromRoot(file), 'utf8')).toContain(title);
  });
});
