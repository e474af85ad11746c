import type { Mutant } from '../mutant.ts';

/** Schedules that come to an end by mistake, come twice, or come when they must not. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  {
    name: 'splitRecurring',
    file: 'shared/store/fire-occurrence.ts',
    find: 'const outcome = await tables.transact([remove, ...advance.writes, ...(ran ? [put] : [])], token);',
    replace: `const first = await tables.transact([remove, ...(ran ? [put] : [])], token);
    const outcome = first.applied ? await tables.transact(advance.writes, token + '/next') : first;`,
    rules: ['each-occurrence-once', 'schedule-goes-on'],
    why: 'An occurrence is fired, then the next one is written: a crash in between loses what was counted, or the schedule.',
    seed: 8,
  },
  {
    name: 'missedForgotten',
    file: 'shared/core/schedule/schedule.ts',
    find: "const passed = late && policy !== 'all';",
    replace: 'const passed = late;',
    rules: ['each-occurrence-once'],
    why: 'A schedule that promised to run every missed occurrence runs one.',
  },
  {
    name: 'leftAhead',
    file: 'shared/store/recall-ahead.ts',
    find: 'return { writes, back:',
    replace: 'return { writes: [], back:',
    rules: ['one-place', 'legal-transition'],
    why: 'A pause leaves in Jobs what was fired ahead, and the schedule plans it again when it goes on.',
  },
  {
    name: 'turnTakenOver',
    file: 'shared/store/schedule-turn.ts',
    find: 'if (unfinished !== undefined) return { taken: false, ...unfinished };',
    replace: '',
    rules: ['occurrences-apart'],
    why: 'An occurrence takes the turn of one that is not finished.',
  },
  {
    name: 'neverMended',
    file: 'shared/store/mend-schedule.ts',
    find: "if (state === 'waiting') return false;",
    replace: 'if (name.length > 0) return false;',
    rules: ['schedule-goes-on'],
    why: 'A schedule whose next occurrence was set aside as unreadable never comes again.',
  },
  {
    name: 'mendedUnfenced',
    file: 'shared/store/mend-schedule.ts',
    find: 'condition: revIs(schedule.rev),',
    replace: "condition: { test: 'present', attribute: 'rev' },",
    rules: ['paused-starts-nothing'],
    why: 'A paused schedule gets a timer again from a sweeper that looked before the pause.',
    flow: 'pausedWhileMended',
  },
  {
    name: 'recalledUnfenced',
    file: 'shared/store/recall-ahead.ts',
    find: 'key: idKey(id), condition: all(notRunning, revIs(rev)) }];',
    replace: "key: idKey(id), condition: rev < 0 ? all(notRunning, revIs(rev)) : { test: 'present', attribute: 'id' } }];",
    rules: ['nothing-lost'],
    why: 'A pause deletes an occurrence that started after it had looked.',
    flow: 'startedWhilePaused',
  },
  {
    name: 'cancelUnsettled',
    file: 'shared/store/settle-occurrence.ts',
    find: 'if (!isOccurrence(job)) return [];',
    replace: 'if (job.id.length > 0) return [];',
    rules: ['cancel-wins'],
    why: 'A schedule does not remember that its next occurrence was cancelled, and plans it again.',
    flow: 'cancelledOccurrence',
  },
];
