import type { Mutant } from '../mutant.ts';

/** Bugs in operators' edits of existing jobs. */
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
    find: 'add: { rev: 1 }, condition: asFound(found)',
    replace: 'add: { rev: 1 }',
    rules: ['row-readable', 'one-place', 'legal-transition', 'nothing-left', 'no-resurrection'],
    why: 'An edit of a job that moved meanwhile leaves a piece of a row where the job was.',
    seed: 468_956_185,
  },
  {
    name: 'editedParkedStaysParked',
    symbol: 'editWrites',
    find: "if (state === 'parked') return readyWrites(found, edited(job, edit), terms);",
    replace: `if (state === 'parked') {
    const made = readyWrites(found, edited(job, edit), terms);
    return { ...made, writes: [{ op: 'check', table, key, condition: asFound(found) }, ...made.writes.slice(1)] };
  }`,
    rules: ['one-place', 'legal-transition'],
    why: 'A parked job that is edited is in its queue and under its limit, and runs twice.',
    seed: 854270621,
  },
  {
    name: 'patchDropsAnother',
    symbol: 'mergePatch',
    find: 'Object.entries(target)',
    replace: 'Object.entries(target).slice(0, -1)',
    rules: ['payload-kept'],
    why: 'A patch takes away a field that it does not name.',
    flow: 'orders/patchPayload x setPriority @ ready/plain/plain/outcome',
  },
  {
    name: 'rescheduleUnfenced',
    symbol: 'readyWrites',
    find: '[{ ...put, condition: asFound(found) }]',
    replace: '[{ ...put, condition: notRunning }]',
    rules: ['rev-grows', 'payload-kept'],
    why: 'Another due time for a ready job puts back the payload that an operator has just changed.',
    flow: 'orders/reschedule-now x editPayload @ ready/plain/plain/outcome',
  },
  {
    name: 'moveLeavesKey',
    symbol: 'planMove',
    find: 'writes: [...made.writes, ...keys]',
    replace: 'writes: [...made.writes, ...keys.slice(0, 0)]',
    rules: ['key-held', 'key-unique'],
    why: 'A job that gets another type lets a second one with its unique key in there.',
    flow: 'orders/move x sweep @ ready/key/plain/outcome',
  },
  {
    name: 'replaceUnfenced',
    symbol: 'replacement',
    find: 'row: jobRow(leased), condition: asFound(holder) }',
    replace: "row: jobRow(leased), condition: { test: 'beginsWith', attribute: 'lockOwner', value: 'queue/' } }",
    rules: ['rev-grows', 'payload-kept'],
    why: 'An enqueue that replaces a job writes over what an operator did to it in between.',
    flow: 'orders/enqueue-replace x editPayload @ ready/key/plain/outcome',
  },
  {
    name: 'keyTakenUnfenced',
    symbol: 'takeOver',
    find: 'return [put, { ...key, condition: keyOfJob(id) }, holder];',
    replace: 'return [put, key, holder];',
    rules: ['key-unique', 'key-held'],
    why: 'Two enqueues take the key of one running job, and both their jobs run.',
    flow: 'orders/enqueue-keep-latest x enqueue-replace @ running/key/plain/outcome',
  },
  {
    name: 'keyTakenFromWaiting',
    symbol: 'takeOver',
    find: 'key: idKey(id), condition: heldBy(lockOwner) } as const;',
    replace: "key: idKey(id), condition: { test: 'present', attribute: 'id' } } as const;",
    rules: ['key-held', 'legal-transition'],
    why: 'A job that was given back meanwhile loses its key to a new one instead of getting its payload.',
    flow: 'orders/enqueue-keep-latest x execute @ ready/key/continuing/outcome',
  },
];
