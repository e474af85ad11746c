import type { Mutant } from '../mutant.ts';

/** An applied write whose reply was lost is taken for one that lost its race. */
export const LOST_REPLY_MUTANTS: readonly Mutant[] = [
  {
    name: 'ccfeNaive',
    symbol: 'classify',
    find: 'if (outcome.applied || job.lockOwner === lease.owner) return',
    replace: 'if (outcome.applied) return',
    seed: 86167797,
    rules: ['nothing-abandoned'],
    why: 'A claim whose reply was lost is not recognised: the job stays leased to nobody who knows.',
  },
  {
    name: 'ccfeNaiveLock',
    symbol: 'takeLock',
    find: `condition: lockFree(owner, times) });
  if (outcome.applied) return { taken: true, until: expiresAt };
  const seen = outcome.row?.['lockExpiresAt'];
  const until = storedInstant(seen);
  if (until !== undefined) return { taken: outcome.row?.['lockOwner'] === owner, until };`,
    replace: `condition: lockFree('nobody', times) });
  if (outcome.applied) return { taken: true, until: expiresAt };
  const seen = outcome.row?.['lockExpiresAt'];
  const until = storedInstant(seen);
  if (until !== undefined) return { taken: false, until };`,
    rules: ['nothing-abandoned'],
    why: 'A group lock whose reply was lost stands in the way of its own group until it expires.',
    seed: 446_615_690,
  },
  {
    name: 'ccfeNaiveReturn',
    symbol: 'runAgain',
    find: "if (outcome.applied || row['lockOwner'] === owner) return",
    replace: 'if (outcome.applied) return',
    rules: ['nothing-unsent'],
    why: 'lost-reply-on-release: the retry is in its row, and nobody sends its hint.',
    seed: 854270611,
  },
  {
    name: 'ccfeNaiveReset',
    symbol: 'reset',
    find: "if (row !== undefined && (outcome.applied || row['lockOwner'] === owner)) return",
    replace: 'if (row !== undefined && outcome.applied) return',
    rules: ['nothing-unsent'],
    why: 'The sweeper made a job ready, thinks that it lost, and sends nothing.',
    seed: 854270615,
  },
  {
    name: 'tokenPerSdkAttempt',
    symbol: 'endCancelled',
    find: 'const { job, token, endedAt: now } = ended;',
    replace: 'const { job, endedAt: now } = ended;\n  const token = deps.entropy.token();',
    rules: ['told-true'],
    why: 'Each try to record an outcome has a token of its own, so the second does not recognise the first.',
    flow: 'lostEnds',
  },
  {
    name: 'cancelToldAsCompletion',
    symbol: 'completeAsCancelled',
    find: 'deletedByMe(outcome, earlier, job, completion) ? { ...finished([]), cancelled: true, why }',
    replace: 'deletedByMe(outcome, earlier, job, completion) ? finished([])',
    rules: ['history-true', 'told-true'],
    flow: 'lostEnds',
    why: 'A run that was asked to stop and whose last reply was lost is told as completed, in the journal and in History.',
  },
  {
    name: 'cancelForgottenByNextTry',
    symbol: 'completeInTransaction',
    find: "  if (tries.cancel !== undefined) return { result: 'cancel-asked', why: tries.cancel };\n",
    replace: '',
    rules: ['told-true'],
    flow: 'lostEnds',
    why: 'A try to complete that follows one which has ended the run as cancelled takes its own end for a lost lease.',
  },
  {
    name: 'cancelForgottenByNextMove',
    symbol: 'apply',
    find: "if (tries.cancel !== undefined && decision.verb !== 'complete') return",
    replace: 'if (false) return',
    rules: ['told-true'],
    flow: 'lostEnds',
    why: 'The same for a run that snoozes or fails.',
  },
  {
    name: 'leftOutForgotten',
    symbol: 'completeInTransaction',
    find: '    leftOut: tries.leftOut,\n',
    replace: '',
    rules: ['told-true', 'nothing-unsent'],
    flow: 'lostEnds',
    why: 'A completion that left out a follow-up is not recognised by its next try: its other follow-ups get no hint.',
  },
];
