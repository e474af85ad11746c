import type { Mutant } from '../mutant.ts';

/** Bugs in what is kept outside the rows. Only worlds with porters show them. */
export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    name: 'claimOfAnother',
    symbol: 'createOrReplace',
    find: "holder.state === 'running' ? undefined : await fresh.payloadFor?.(id)",
    replace: 'undefined',
    rules: ['claim-kept'],
    why: 'A job that is replaced refers to a payload of a job that never was, which the cleaner removes.',
    seed: 1_027,
  },
  {
    name: 'cleanerLooksInQueues',
    symbol: 'refers',
    find: 'found !== undefined &&',
    replace: "found?.table === 'jobs' &&",
    rules: ['claim-kept'],
    why: 'The cleaner removes the payloads of jobs that wait, are suspended or dead.',
    seed: 1_027,
  },
];
