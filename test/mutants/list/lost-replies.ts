import type { Mutant } from '../mutant.ts';

/** A write that was applied and whose reply was lost is taken for one that lost its race. */
export const LOST_REPLY_MUTANTS: readonly Mutant[] = [
  {
    name: 'ccfeNaive',
    file: 'shared/store/claim.ts',
    find: 'if (outcome.applied || job.lockOwner === lease.owner) return',
    replace: 'if (outcome.applied) return',
    rules: ['nothing-abandoned'],
    why: 'A claim whose reply was lost is not recognised: the job stays leased to nobody who knows.',
  },
  {
    name: 'ccfeNaiveLock',
    file: 'shared/store/locks.ts',
    find: `condition: lockFree(owner, times.now) });
  if (outcome.applied || outcome.row?.['lockOwner'] === owner) return`,
    replace: `condition: lockFree('nobody', times.now) });
  if (outcome.applied) return`,
    rules: ['nothing-abandoned'],
    why: 'A group lock whose reply was lost stands in the way of its own group until it expires.',
    seed: 7,
  },
  {
    name: 'ccfeNaiveReturn',
    file: 'shared/store/return-to-queue.ts',
    find: "if (outcome.applied || row['lockOwner'] === owner) return",
    replace: 'if (outcome.applied) return',
    rules: ['nothing-unsent'],
    why: 'lost-reply-on-release: the retry is in its row, and nobody sends its hint.',
    seed: 15,
  },
  {
    name: 'ccfeNaiveReset',
    file: 'shared/store/reset.ts',
    find: "if (row !== undefined && (outcome.applied || row['lockOwner'] === owner)) return",
    replace: 'if (row !== undefined && outcome.applied) return',
    rules: ['nothing-unsent'],
    why: 'The sweeper made a job ready, thinks that it lost, and sends nothing.',
    seed: 12,
  },
  {
    name: 'tokenPerSdkAttempt',
    file: 'shared/worker/record.ts',
    find: 'const { job, token, endedAt: now } = ended;',
    replace: 'const { job, endedAt: now } = ended;\n  const token = parts.entropy.token();',
    rules: ['nothing-unsent'],
    why: 'Each try to record an outcome has a token of its own, so the second does not recognise the first.',
    seed: 27,
  },
];
