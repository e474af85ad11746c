import { decideCrash } from '../../shared/job/decide.ts';
import { defined } from '../../shared/job/defined.ts';
import { iso } from '../../shared/job/instant.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { ranAlone } from '../../shared/job/lock-owner.ts';
import type { FactsIn, ExplanationDraft } from './facts.ts';
import { lastFailure, sentenceOf, sweptAfter } from './sentences.ts';

/** Explains a running job: a live run, one with a cancel request, or one whose executor died. */
export function explainRunning(facts: FactsIn<'jobs'>, now: number): ExplanationDraft {
  const { job } = facts.located;
  const ranOut = job.lockExpiresAt <= now - facts.settings.sweepSkewMs;
  const told = ranOut ? afterItsEnd(facts, now) : live(facts, now);
  return {
    ...told,
    facts: { lockOwner: job.lockOwner, lockExpiresAt: iso(job.lockExpiresAt), attempt: job.starts, ...told.facts },
  };
}

/** Outside Lambda a lease is short and renewed, so the end of the run is unknown. */
const diesWithItsLease = ({ workers = [], located: { job } }: FactsIn<'jobs'>): boolean => {
  const own = workers.filter(({ worker }) => worker === job.worker);
  return own.length > 0 && own.every(({ kind }) => kind === 'lambda');
};

function live(facts: FactsIn<'jobs'>, now: number): ExplanationDraft {
  const { settings } = facts;
  const { job } = facts.located;
  const certain = diesWithItsLease(facts);
  const swept = sweptAfter(job.lockExpiresAt, facts, now);
  const asked = job.cancelRequested === true;
  return {
    code: asked ? 'running-cancel-requested' : 'running',
    sentences: [
      `Attempt ${job.starts} runs: ${job.lockOwner} holds its lease until ${iso(job.lockExpiresAt)}${certain ? ', and its function ends before that' : '; outside Lambda it renews that'}.`,
      ...progressOf(job),
      ...(asked
        ? [
            `A cancel was asked for${byWhom(job)}: its handler's signal fires within ${settings.cancelPollMs / 1000} s if it runs that long, and whatever ends the run ends it as cancelled.`,
          ]
        : []),
      `If its process dies before it recorded an outcome, the sweeper ${asked ? 'ends it as cancelled' : 'gives it back to its queue'} ${swept.when}${certain ? '' : ', unless the lease was renewed'}.`,
      ...(swept.late === undefined ? [] : [swept.late]),
      ...(asked ? [] : lastFailure(job)),
    ],
    next: { verb: asked ? 'cancel' : 'complete', by: 'executor', ...(certain ? { at: Math.max(now, job.lockExpiresAt) } : {}) },
    facts: { progress: job.progress },
    verbs: asked ? [] : ['cancel', 'setRetries'],
  };
}

function progressOf({ progress, progressText }: LeasedJob): readonly string[] {
  if (progress === undefined) return [];
  return [`It reported ${progress} %${progressText === undefined ? '.' : `: ${sentenceOf(progressText)}`}`];
}

function byWhom({ cancelledBy, cancelReason }: LeasedJob): string {
  return `${cancelledBy === undefined ? '' : ` by ${cancelledBy}`}${cancelReason === undefined ? '' : ` (${cancelReason})`}`;
}

/** No outcome was recorded in time, so the executor is dead or can no longer record one. */
function afterItsEnd(facts: FactsIn<'jobs'>, now: number): ExplanationDraft {
  const { settings } = facts;
  const { job } = facts.located;
  const alone = ranAlone(job.lockOwner);
  const decision = decideCrash(job, alone, settings.crashLimit, now);
  const { at, when, late } = sweptAfter(job.lockExpiresAt, facts, now);
  const does = { cancel: 'ends it as cancelled', bury: 'makes it a dead letter (crash-loop)', 'run-again': 'gives it back to its queue' };
  return {
    code: late === undefined ? 'lease-ran-out' : 'sweeper-late',
    sentences: [
      `Attempt ${job.starts} ended without an outcome: the lease of ${job.lockOwner} ran out at ${iso(job.lockExpiresAt)}, so its process died or was cut off.`,
      decision.verb === 'cancel'
        ? `A cancel was asked for${byWhom(job)}.`
        : alone
          ? `It ran alone, so this is its crash ${decision.crashes} of ${settings.crashLimit}.`
          : 'It did not run alone, so this does not count as a crash of its own; next time it runs alone.',
      late ?? `The sweeper ${does[decision.verb]} ${when}; an executor that gets its message again may be faster.`,
    ],
    next: { verb: decision.verb === 'run-again' ? 'reset' : decision.verb, by: 'sweeper', ...defined({ at }) },
    facts: { crashes: job.crashes },
    verbs: decision.verb === 'cancel' ? [] : ['cancel'],
  };
}
