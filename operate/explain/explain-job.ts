import type { Scalar } from '../../shared/job/job.ts';
import { holdingBack } from './explain-behind.ts';
import { explainDead, explainFinished } from './explain-ended.ts';
import { explainParked } from './explain-parked.ts';
import { explainReady } from './explain-ready.ts';
import { explainRunning } from './explain-running.ts';
import { explainSuspended } from './explain-suspended.ts';
import { explainWaiting } from './explain-waiting.ts';
import type { Explanation } from './explanation.ts';
import type { Facts, ExplanationDraft } from './facts.ts';
import { startLimit } from './sentences.ts';

/** States of a job that may expire. */
const BEFORE_START: ReadonlySet<string> = new Set(['waiting', 'parked', 'ready', 'suspended']);

/** Why a job is where it is and what happens next, from what was read of it. Pure: `now` is epoch milliseconds. */
export function explainJob(facts: Facts, now: number): Explanation {
  const { state, job } = facts.located;
  const { code, sentences, next, verbs, facts: rests = {} } = tell(facts, now);
  const known = Object.entries(rests).filter((entry): entry is [string, Scalar] => entry[1] !== undefined);
  const { at, ...step } = next;
  const held = holdingBack(facts);
  return {
    id: job.id,
    state,
    code,
    text: [...sentences, ...held.sentences, ...(BEFORE_START.has(state) ? startLimit(job, now) : [])].join(' '),
    next: { ...step, ...(at === undefined ? {} : { at: new Date(at) }) },
    facts: { type: job.type, worker: job.worker, ...Object.fromEntries(known) },
    verbs: [...verbs, ...held.verbs],
  };
}

function tell(facts: Facts, now: number): ExplanationDraft {
  const { located } = facts;
  switch (located.state) {
    case 'waiting':
      return explainWaiting({ ...facts, located }, now);
    case 'parked':
      return explainParked({ ...facts, located }, now);
    case 'ready':
      return explainReady({ ...facts, located }, now);
    case 'running':
      return explainRunning({ ...facts, located }, now);
    case 'suspended':
      return explainSuspended({ ...facts, located }, now);
    case 'dead':
      return explainDead({ ...facts, located });
    case 'finished':
      return explainFinished({ ...facts, located });
  }
}
