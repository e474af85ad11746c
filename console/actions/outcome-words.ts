import { ENCODED } from '../../operate/coded-payload.ts';
import { JOB_VERBS } from '../../operate/verbs.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import type { ActionAnswer } from '../page.ts';

/** The texts of outcomes without a change that several verbs share. */
const REFUSALS: Readonly<Record<string, string>> = {
  changed: 'The job changed meanwhile: nothing was written. Check it again.',
  'key-taken': 'Another job has taken its unique key meanwhile: nothing was changed.',
  unreadable: 'Its row cannot be read, so it cannot run: nothing was changed.',
  occurrence: 'It is the next occurrence of a schedule: nothing was changed. Run or pause the schedule instead.',
  encoded: ENCODED,
  'worker-gone': 'This deployment does not have its worker, so nothing would run it: nothing was changed. Move it to another worker first.',
  'not-found': 'There is no such job any more: nothing was changed.',
  waiting: 'The job waits for its time: nothing was changed.',
  parked: 'The job waits for room under a limit: nothing was changed.',
  ready: 'The job is in its queue by now: nothing was changed.',
  running: 'The job runs by now: nothing was changed.',
  suspended: 'The job is suspended: nothing was changed.',
  dead: 'The job is a dead letter: nothing was changed.',
  finished: 'The job has finished by now: nothing was changed.',
};

const WORDS: Readonly<Record<string, string>> = Object.assign({}, REFUSALS, ...JOB_VERBS.map(({ refusals }: JobVerb) => refusals));

/** The answer to a verb that did nothing to a job. */
export function answerFor(outcome: string, id: string): ActionAnswer {
  const message = WORDS[outcome] ?? `Nothing is known about it: the verb answered ${outcome}.`;
  return { ok: false, message, to: jobPage(id) };
}

/** The answer to a successful verb. */
export function doneAnswer(message: string, id: string): ActionAnswer {
  return { ok: true, message, to: jobPage(id) };
}

function jobPage(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

/** Why jobs were left alone, for reports of many. */
export function leftAloneWords(outcome: string): string {
  return WORDS[outcome]?.replace(/: nothing was (changed|written)\.?.*$/, '') ?? outcome;
}
