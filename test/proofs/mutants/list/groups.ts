import type { Mutant } from '../mutant.ts';

/** Bugs in the order of groups that a failure holds back. Only worlds whose seed is 13 modulo 16 have such groups. */
export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'retriedJobLosesItsTurn',
    symbol: 'takeTurn',
    find: 'if (next?.id !== job.id) return false;',
    replace: 'if (next === undefined) return false;',
    rules: ['group-held-back', 'group-in-order'],
    why: 'A job does not wait for the one before it, which failed and is tried again.',
    seed: 13,
  },
  {
    name: 'startedJobNotRecorded',
    symbol: 'turnOf',
    find: "typeof startedAt === 'string' && startedAt > String(first['sk'])",
    replace: "typeof startedAt === 'string' && startedAt < String(first['sk'])",
    rules: ['group-held-back'],
    why: 'A job that gets a place before that of a job that has started runs between two tries of it.',
    seed: 45,
  },
  {
    name: 'deadLetterLosesItsPlace',
    symbol: 'placeWrites',
    find: "if (how === 'failed') return [];",
    replace: '',
    rules: ['group-held-back'],
    why: 'A group goes on although one of its jobs is a dead letter.',
    seed: 13,
  },
  {
    name: 'placedByTheClockAlone',
    symbol: 'behind',
    find: 'if (other === undefined || other < text) return text;',
    replace: 'if (other === undefined || other !== text) return text;',
    rules: ['group-in-order'],
    why: 'A job whose producer has a clock that is behind gets a place before one that was enqueued earlier.',
    seed: 446_615_773,
  },
  {
    name: 'nobodyWakesTheNext',
    symbol: 'wakeNext',
    find: 'if (waiting.rows.length === 0) return false;',
    replace: 'return false;',
    rules: ['group-goes-on', 'nothing-lost', 'nothing-left'],
    why: 'The jobs that waited for a failed one stay parked when it has ended.',
    seed: 13,
  },
];
