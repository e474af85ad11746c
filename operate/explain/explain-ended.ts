import { iso } from '../../shared/job/instant.ts';
import type { DeadLetter, DeadReason, FinishedJob } from '../../shared/job/job.ts';
import { readQuarantined } from '../../shared/store/read-quarantined.ts';
import type { FactsIn, ExplanationDraft } from './facts.ts';
import { counted, sentenceOf } from './sentences.ts';

const WHY: Readonly<Record<DeadReason, (dead: DeadLetter) => string>> = {
  'retries-exhausted': ({ failures, triesLimit }) =>
    `its tries are used up (${counted(failures, 'failure')}${triesLimit === undefined ? '' : ', with the number that it was given'})`,
  failed: () => 'its handler said so, with fail()',
  'non-retryable': () => 'what it threw is never tried again',
  'crash-loop': ({ crashes }) => `it killed the process that ran it, ${counted(crashes, 'time')}`,
  'chain-limit': ({ chainDepth }) => `jobs that enqueue jobs came to a chain of ${chainDepth}, which is the limit`,
  unreadable: () => 'its row could not be read; it is kept as it lay there',
  buried: () => 'an operator buried it',
  expired: () => 'it did not start in time',
};

/** Explains a dead letter: why it died, and that it waits for an operator. */
export function explainDead({ located: { job }, errorGroupSeen, workerKnown }: FactsIn<'deadLetters'>): ExplanationDraft {
  const { error, reason, failedAt, fingerprint } = job;
  const helps = whatHelps(job, workerKnown);
  return {
    code: 'dead',
    sentences: [
      `It has been a dead letter since ${iso(failedAt)}, after ${counted(job.starts, 'attempt')}: ${(WHY[reason] ?? (() => reason))(job)}.`,
      ...(error === undefined ? [] : [`${error.name}: ${sentenceOf(error.message)}`]),
      ...(errorGroupSeen === undefined
        ? []
        : [`This error was seen ${errorGroupSeen === 1 ? 'once' : `${errorGroupSeen} times`} (error group ${fingerprint}).`]),
      helps.text,
    ],
    next: { verb: helps.verbs[0], by: 'operator' },
    facts: { reason, failedAt: iso(failedAt), fingerprint, requestId: job.requestId },
    verbs: helps.verbs,
  };
}

/** What an operator can do; the first verb is the usual one. */
function whatHelps(job: DeadLetter, workerKnown: boolean): { readonly text: string; readonly verbs: readonly [string, ...string[]] } {
  if (job.reason === 'unreadable') {
    if (readQuarantined(job) !== undefined)
      return { text: 'An older version could not read it, and this one can: redrive runs it.', verbs: ['redrive', 'delete'] };
    const text = 'It cannot be redriven: look at its raw row, then delete it. A version that can read it runs it with redrive.';
    return { text, verbs: ['delete'] };
  }
  if (!workerKnown) {
    const text = `Its worker ${job.worker} is not part of this deployment, so a redrive is refused. Deploy the worker, or move the job to another one first.`;
    return { text, verbs: ['move', 'editPayload', 'delete'] };
  }
  return {
    text: 'It does not run again until an operator acts: redrive runs it with fresh counters, editPayload changes its payload, delete removes it for good.',
    verbs: ['redrive', 'editPayload', 'setRetries', 'setDueDate', 'delete'],
  };
}

const HOW: Readonly<Record<FinishedJob['outcome'], (job: FinishedJob) => string>> = {
  completed: ({ starts }) => `It completed with attempt ${starts}`,
  cancelled: ({ cancelledBy, cancelReason }) =>
    `It was cancelled${cancelledBy === undefined ? '' : ` by ${cancelledBy}`}${cancelReason === undefined ? '' : ` (${cancelReason})`}`,
  skipped: ({ schedule }) => `It was skipped: its schedule${schedule === undefined ? '' : ` ${schedule}`} kept it from starting`,
  expired: ({ startBy }) =>
    `It expired: it had to start${startBy === undefined ? ' in time' : ` by ${iso(startBy)}`}, and no executor was free until then`,
};

/** Explains a finished job, as long as History keeps it. */
export function explainFinished({ located: { job } }: FactsIn<'history'>): ExplanationDraft {
  return {
    code: 'finished',
    sentences: [
      `${(HOW[job.outcome] ?? (() => `It ended as ${job.outcome}`))(job)} at ${iso(job.finishedAt)}. Nothing happens to it any more.`,
    ],
    next: { verb: 'none', by: 'nobody' },
    facts: { outcome: job.outcome, finishedAt: iso(job.finishedAt) },
    verbs: [],
  };
}
