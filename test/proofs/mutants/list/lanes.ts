import type { Mutant } from '../mutant.ts';

/** Bugs in where a job goes by its priority, and in who is locked out. */
export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: 'laneWithoutItsLowest',
    symbol: 'laneOf',
    find: 'if (bound(lane) > priority) return best;',
    replace: 'if (bound(lane) >= priority) return best;',
    rules: ['right-lane'],
    why: 'The lowest priority of a lane goes to the lane below: an urgent job waits behind the others.',
  },
  {
    name: 'timersByPriority',
    symbol: 'laneOfJob',
    find: "job.kind === 'timer' && Object.hasOwn(queues.lanes, TIMER_LANE)",
    replace: "job.kind !== 'timer' && Object.hasOwn(queues.lanes, TIMER_LANE)",
    rules: ['right-lane'],
    why: 'Fired timers stand in the queue of their priority, and everything else in theirs.',
  },
  {
    name: 'lanesBySending',
    symbol: 'routeHint',
    find: "return { kind: 'standard', lane, delaySeconds, forward: grouped };",
    replace: "return { kind: 'standard', lane: Object.keys(queues.lanes)[0] ?? lane, delaySeconds, forward: grouped };",
    rules: ['right-lane'],
    why: 'All messages go to the first lane: its executors do the work of all.',
  },
  {
    name: 'everyGroupIsALabel',
    symbol: 'lockGroup',
    find: 'return job.exclusive === false ? undefined : job.group;',
    replace: 'return job.exclusive === undefined ? undefined : job.group;',
    rules: ['group-locked', 'group-exclusive'],
    why: 'Only a job that says so is kept from running beside its group, and none does.',
  },
];
