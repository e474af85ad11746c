import type { Mutant } from '../mutant.ts';

/** Bugs in the burial of a job by an operator. Only worlds with a burier show them. */
export const HAND_BURIAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'handBurialKeepsKey',
    symbol: 'buryIdle',
    find: 'key: keyTaken ? undefined : keyRelease(job),',
    replace: 'key: undefined,',
    rules: ['key-held'],
    why: 'The unique key of a job that an operator buried is never free again.',
    seed: 60_026,
  },
  {
    name: 'handBurialUncounted',
    symbol: 'buryIdle',
    find: "batch: endingWrites(job, 'failed'),",
    replace: 'batch: [],',
    rules: ['batch-count'],
    why: 'A batch waits for a child that an operator buried.',
    seed: 60_000,
  },
  {
    name: 'handBurialUnfenced',
    symbol: 'buryIdle',
    find: "condition: state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev) },",
    replace: "...(state === 'ready' ? {} : { condition: revIs(job.rev) }) },",
    rules: ['legal-transition', 'one-place', 'live-lease', 'no-resurrection'],
    why: 'A job that was claimed since it was found becomes a dead letter while it runs.',
    seed: 468_956_222,
  },
  {
    name: 'handBurialGoesByOlderRefusal',
    symbol: 'buryIdle',
    find: 'refused?.rev === job.rev ? refused : {',
    replace: 'refused !== undefined ? refused : {',
    rules: ['key-held', 'legal-transition'],
    why: 'A job that another operator buried and redrove meanwhile is buried under another id and keeps its key.',
    flow: 'buriedInBetween',
  },
];
