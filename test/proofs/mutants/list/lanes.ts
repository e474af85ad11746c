import type { Mutant } from '../mutant.ts';

/** Bugs in the routing of a job by its priority, and in exclusive groups. */
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
    seed: 896069190,
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
  {
    name: 'movedJobStays',
    symbol: 'isElsewhere',
    find: 'worker !== here && workers.has(worker)',
    replace: 'worker === here && workers.has(worker)',
    rules: ['right-lane'],
    why: 'A job that was moved to another worker runs on the old one, if its old message comes first.',
    flow: 'movedAway',
  },
  {
    name: 'formerNameForgotten',
    symbol: 'presentName',
    find: 'if (formerly.includes(name)) present = worker;',
    replace: 'if (formerly.includes(worker)) present = worker;',
    rules: ['nothing-left'],
    why: 'The jobs of a renamed worker are never sent again: their queues are gone.',
    flow: 'renamedWorker',
  },
];
