import type { Mutant } from '../mutant.ts';

/** What operators change in jobs that are there. */
export const EDIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'editKeepsRev',
    symbol: 'editWrites',
    find: 'add: { rev: 1 }, condition',
    replace: 'add: { rev: 0 }, condition',
    rules: ['rev-grows', 'payload-kept'],
    why: 'A verb that has seen the row before the edit copies the old payload to the next table.',
    seed: 100,
  },
  {
    name: 'editUnfenced',
    symbol: 'editWrites',
    find: 'add: { rev: 1 }, condition',
    replace: 'add: { rev: 1 }, ...(condition.test === undefined ? { condition } : {})',
    rules: ['row-readable', 'one-place', 'legal-transition', 'nothing-left', 'no-resurrection'],
    why: 'An edit of a job that moved meanwhile leaves a piece of a row where the job was.',
    seed: 117,
  },
  {
    name: 'editedParkedStaysParked',
    symbol: 'editWrites',
    find: "{ op: 'delete', table, key, condition: revIs(job.rev) },",
    replace: "{ op: 'check', table, key, condition: revIs(job.rev) },",
    rules: ['one-place', 'legal-transition'],
    why: 'A parked job that is edited is in its queue and under its limit, and runs twice.',
    seed: 9,
  },
  {
    name: 'rescheduleUnfenced',
    symbol: 'unchanged',
    find: "return found.table === 'jobs' ? all(notRunning, rev) : rev;",
    replace: "return found.table === 'jobs' ? notRunning : rev;",
    rules: ['rev-grows', 'payload-kept'],
    why: 'Another due time for a ready job puts back the payload that an operator has just changed.',
    flow: 'orders/reschedule-now x editPayload @ ready/plain/plain/outcome',
  },
];
