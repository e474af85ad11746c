import { receiveAgain } from '../receive-one.ts';
import type { Verb } from './verb.ts';

/** What the functions of a deployment do. */
export const FUNCTION_VERBS: readonly Verb[] = [
  {
    name: 'execute',
    role: 'executor',
    act: ({ stage, id }) => receiveAgain(stage, id),
  },
  {
    name: 'acquire',
    role: 'acquirer',
    fits: ({ state, feature }) => state === 'delayed' || state === 'held-back' || feature === 'schedule',
    act: ({ stage }) => stage.acquire(),
  },
  { name: 'sweep', role: 'sweeper', act: ({ stage }) => stage.sandboxes.sweep() },
];
