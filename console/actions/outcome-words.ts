import type { ActionAnswer } from '../page.ts';

/** What every outcome of a verb means to whoever asked for it, and whether it is what they wanted. */
const WORDS: Readonly<Record<string, { readonly ok: boolean; readonly message: string }>> = {
  redriven: { ok: true, message: 'Redriven: it is back in its queue with fresh counters.' },
  deleted: { ok: true, message: 'Deleted for good.' },
  cancelled: { ok: true, message: 'Cancelled: it will not run.' },
  'cancel-requested': {
    ok: true,
    message: 'It runs just now and was asked to stop: it ends as cancelled, whatever its handler makes of it.',
  },
  set: { ok: true, message: 'Set.' },
  rescheduled: { ok: true, message: 'Its due time was changed.' },
  started: { ok: true, message: 'It runs now: its id was sent to its queue.' },
  stopped: { ok: true, message: 'Stopped: it will not run until somebody lets it go.' },
  activated: { ok: true, message: 'Let go: it is back in its queue.' },
  edited: { ok: true, message: 'The payload was changed.' },
  'tenant-changed': { ok: true, message: 'It belongs to the other tenant now.' },
  changed: { ok: false, message: 'The job changed meanwhile: nothing was written. Look at it again.' },
  'key-taken': { ok: false, message: 'Another job has taken its unique key meanwhile: nothing was changed.' },
  unreadable: { ok: false, message: 'Its row cannot be read, so it cannot run: nothing was changed.' },
  occurrence: { ok: false, message: 'It is the next occurrence of a schedule: nothing was changed. Run or pause the schedule instead.' },
  'in-batch': { ok: false, message: 'It belongs to a batch, which belongs to one tenant as a whole: nothing was changed.' },
  'not-found': { ok: false, message: 'There is no such job any more: nothing was changed.' },
  waiting: { ok: false, message: 'The job waits for its time: nothing was changed.' },
  parked: { ok: false, message: 'The job waits for room under a limit: nothing was changed.' },
  ready: { ok: false, message: 'The job is in its queue by now: nothing was changed.' },
  running: { ok: false, message: 'The job runs by now: nothing was changed.' },
  suspended: { ok: false, message: 'The job is suspended: nothing was changed.' },
  dead: { ok: false, message: 'The job is a dead letter: nothing was changed.' },
  finished: { ok: false, message: 'The job has finished by now: nothing was changed.' },
};

/** The answer to one verb on one job; `done` is what success is called here, where the plain word would say too little. */
export function answerFor(outcome: string, id: string, done?: string): ActionAnswer {
  const words = WORDS[outcome] ?? { ok: false, message: `Nothing is known about it: the verb answered ${outcome}.` };
  const message = words.ok && done !== undefined ? done : words.message;
  return { ok: words.ok, message, to: `/jobs/${encodeURIComponent(id)}` };
}

/** Why jobs were left alone, for reports of many. */
export function leftAloneWords(outcome: string): string {
  return WORDS[outcome]?.message.replace(/: nothing was (changed|written)\.?.*$/, '') ?? outcome;
}
