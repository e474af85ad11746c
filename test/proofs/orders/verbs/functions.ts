import { deliverNameless, receiveAgain, receiveOne } from '../receive-one.ts';
import { isScheduled } from '../situation.ts';
import type { Verb } from './verb.ts';

/** What the functions of a deployment do. */
export const FUNCTION_VERBS: readonly Verb[] = [
  {
    name: 'execute',
    role: 'executor',
    act: ({ stage, id }) => receiveAgain(stage, id),
  },
  {
    // Somebody's message that does not say which group the job belongs to.
    name: 'execute-nameless',
    role: 'executor',
    fits: ({ feature }) => feature === 'group' || feature === 'queueing',
    act({ stage, id }) {
      deliverNameless(stage, id);
      return receiveOne(stage);
    },
  },
  {
    name: 'acquire',
    role: 'acquirer',
    fits: ({ state, feature }) => state === 'delayed' || state === 'held-back' || isScheduled(feature),
    act: ({ stage }) => stage.acquire(),
  },
  { name: 'sweep', role: 'sweeper', act: ({ stage }) => stage.sandboxes.sweep() },
];
