import type { Mutant } from '../mutant.ts';

/** Tables that take a transaction apart: its first write, and then the others. */
const APART = `{ ...tables, transact: async (writes, token) => {
    const first = await tables.transact(writes.slice(0, 1), token);
    return first.applied && writes.length > 1 ? tables.transact(writes.slice(1), token + '/rest') : first;
  } }`;

/** One transaction split in two. A crash in between leaves the job in no table, or in two. */
export const SPLIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'splitTimer',
    symbol: 'fire',
    find: 'const outcome = await tryTransact(tables, token, Object.fromEntries(writes));',
    replace: `const only = (wanted) => Object.fromEntries(writes.filter(([, { op }]) => op === wanted));
    const gone = await tryTransact(tables, token, only('delete'));
    const outcome = gone.applied ? await tryTransact(tables, token + '/put', only('put')) : gone;`,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection'],
    why: 'A timer is deleted, then its job is put.',
  },
  {
    name: 'splitTimer2',
    symbol: 'fire',
    find: 'const outcome = await tryTransact(tables, token, Object.fromEntries(writes));',
    replace: `const only = (wanted) => Object.fromEntries(writes.filter(([, { op }]) => op === wanted));
    const put = await tryTransact(tables, token, only('put'));
    const outcome = put.applied ? await tryTransact(tables, token + '/delete', only('delete')) : put;`,
    rules: ['one-place'],
    why: 'The job of a timer is put, then the timer is deleted.',
  },
  {
    name: 'splitRetry',
    symbol: 'runAgainLater',
    find: 'return transactWhileLeased(tables, job,',
    replace: `return transactWhileLeased(${APART}, job,`,
    seed: 86167797,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection', 'completes-what-ran'],
    why: 'A retry beyond the delay horizon deletes the job, then puts its timer.',
  },
  {
    name: 'splitBury',
    symbol: 'bury',
    find: 'return transactWhileLeased(tables, job, plan,',
    replace: `return transactWhileLeased(${APART}, job, plan,`,
    seed: 896069190,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection', 'completes-what-ran'],
    why: 'A job is deleted, then its dead letter is put.',
  },
  {
    name: 'splitSuspend',
    symbol: 'suspend',
    find: 'return transactWhileLeased(tables, job,',
    replace: `return transactWhileLeased(${APART}, job,`,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection', 'completes-what-ran'],
    why: 'A job of an unknown type is deleted, then put into Suspended.',
    seed: 4,
  },
  {
    name: 'splitResume',
    symbol: 'resume',
    find: 'await tryTransact(tables,',
    replace: `await tryTransact(${APART},`,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection'],
    why: 'A suspended job is deleted, then put into Jobs.',
    seed: 4,
  },
  {
    name: 'splitRedrive',
    symbol: 'redriveOnce',
    find: 'await tryTransact(tables,',
    replace: `await tryTransact(${APART},`,
    seed: 896069190,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection'],
    why: 'A dead letter is deleted, then its job is put.',
  },
  {
    name: 'splitReschedule',
    symbol: 'reschedule',
    find: 'await changeLocated(tables,',
    replace: `await changeLocated(${APART},`,
    rules: ['legal-transition', 'nothing-lost', 'no-resurrection'],
    why: 'A job that gets another due time is deleted, then put.',
    seed: 3,
  },
  {
    name: 'noPointer',
    symbol: 'runAgainLater',
    find: "pointer: { op: 'put', table: 'control', row: movedRow(job.id, dueAt) },",
    replace: '',
    rules: ['found-when-asked'],
    why: 'A timer of a later retry cannot be found by its id any more: cancel and reschedule say that it does not exist.',
    seed: 854270679,
  },
  {
    name: 'quarantineDeletesOnly',
    symbol: 'quarantine',
    find: '{ row: remove, dead: put, key: release, batch: counted }',
    replace: '{ row: remove, key: release }',
    rules: ['legal-transition', 'nothing-lost'],
    why: 'A row that cannot be read is thrown away.',
  },
];
