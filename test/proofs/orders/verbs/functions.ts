import { enqueueGuardian } from '../make-job.ts';
import { deliverNameless, receiveAgain, receiveOne, receivePast } from '../receive-one.ts';
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
  {
    // An executor of another job, whose completion cancels this one.
    name: 'complete-and-cancel',
    role: 'neighbour',
    fits: ({ feature }) => feature === 'key',
    prepare: async (scene) => ({ ...scene, guardian: await enqueueGuardian(scene.stage) }),
    act: ({ stage, guardian = '' }) => receivePast(stage, guardian),
  },
  { name: 'sweep', role: 'sweeper', act: ({ stage }) => stage.sandboxes.sweep() },
];
