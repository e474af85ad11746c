import { nextTickBy } from '../../shared/job/late-tick.ts';
import { iso, storedInstant } from '../../shared/job/instant.ts';
import type { SuspendedJob } from '../../shared/job/job.ts';
import { concernsJob, isInForce, isScope, NO_RULES, suspensionsOf } from '../../shared/features/rules/model/rules.ts';
import { withoutSuspension } from '../../shared/store/job-codec.ts';
import { BREAKPOINT, isNewerVersion, isUnknownCodec } from '../../shared/store/suspend.ts';
import { canRun, knownSince, type ReportedWorker } from '../../shared/features/workers/store/worker-rows.ts';
import { handledBy } from './explain-ready.ts';
import type { Facts, FactsIn, ExplanationDraft } from './facts.ts';
import { counted, goneWorker, lateHeartbeat, scopeInWords, sentenceOf, suspensionAtDue, suspensionText } from './sentences.ts';

/** Explains a suspended job: the cause, what resumes it, and what blocks it then. */
export function explainSuspended(facts: FactsIn<'suspended'>, now: number): ExplanationDraft {
  const { job } = facts.located;
  const told = job.cause === BREAKPOINT ? atBreakpoint(job) : isScope(job.cause) ? bySuspension(facts, now) : withoutHandler(facts, now);
  const kept = 'It is in Suspended, and none of its counters changed.';
  return {
    ...told,
    sentences: [...told.sentences, kept, ...(facts.workerKnown ? [] : [goneWorker(job.worker)])],
    facts: { cause: job.cause, suspendedAt: iso(job.suspendedAt), ...told.facts },
  };
}

function atBreakpoint({ suspendedAt, reason }: SuspendedJob): ExplanationDraft {
  return {
    code: 'breakpoint',
    sentences: [
      `An operator stopped it at ${iso(suspendedAt)}${reason === undefined ? '.' : `: ${sentenceOf(reason)}`}`,
      'Only an operator can resume it: resumeJob puts it back as it was, runNow starts it at once.',
    ],
    next: { verb: 'resume', by: 'operator' },
    facts: { reason },
    verbs: ['resumeJob', 'runNow', 'cancel'],
  };
}

function bySuspension(facts: FactsIn<'suspended'>, now: number): ExplanationDraft {
  const { settings, deployed, rules = NO_RULES, sweeper } = facts;
  const { job } = facts.located;
  const suspension = suspensionsOf(job.cause, rules, deployed).find((one) => isInForce(one, now));
  if (suspension === undefined) return afterSuspension(facts, now);
  const { until, actor, reason } = suspension;
  const by = until === undefined ? undefined : nextTickBy(until, settings.sweeperIntervalMs);
  const late = by === undefined ? undefined : lateHeartbeat('sweeper', sweeper, settings, now);
  return {
    code: 'held-by-suspension',
    sentences: [
      suspensionText(suspension),
      `The job was suspended at ${iso(job.suspendedAt)}.`,
      ...(concernsJob(suspension, job) ? [] : ['It was created earlier, and an earlier suspension stopped it: resumeJob lets it go on.']),
      by === undefined
        ? 'It stays suspended until an operator ends that with resume; runNow starts this job alone.'
        : `The sweeper resumes it ${late === undefined ? `by ${iso(by)}` : 'when that is over'}, at most ${counted(settings.resumesPerRun, 'job')} a run; resume ends the suspension earlier, runNow starts this job alone.`,
      ...(late === undefined ? [] : [late]),
    ],
    next:
      by === undefined ? { verb: 'resume', by: 'operator' } : { verb: 'resume', by: 'sweeper', ...(late === undefined ? { at: by } : {}) },
    facts: { reason, actor, until: until === undefined ? undefined : iso(until) },
    verbs: ['resume', ...(concernsJob(suspension, job) ? [] : ['resumeJob']), 'runNow', 'cancel'],
  };
}

/** Its suspension has ended. The sweeper only checks causes that have a row; without it the job would wait forever. */
function afterSuspension(facts: FactsIn<'suspended'>, now: number): ExplanationDraft {
  const { settings, cause, sweeper } = facts;
  const { job } = facts.located;
  const ended = `${scopeInWords(job.cause)} was suspended when the job was suspended at ${iso(job.suspendedAt)}, and no longer is.`;
  const verbs = ['resumeJob', 'runNow', 'cancel'];
  if (cause === 'none') {
    const lost = 'The sweeper no longer knows of it: use resumeJob.';
    return { code: 'suspension-ended', sentences: [ended, lost], next: { verb: 'resume', by: 'operator' }, verbs };
  }
  const late = lateHeartbeat('sweeper', sweeper, settings, now);
  const rate = cause?.['ratePerSecond'];
  const from = Math.max(now, storedInstant(cause?.['releaseFrom']) ?? now);
  const by = nextTickBy(from, settings.sweeperIntervalMs);
  const order = 'the ones suspended first come first';
  const pace =
    typeof rate === 'number'
      ? `The sweeper resumes its jobs at ${rate} a second; ${order}.`
      : `The sweeper resumes it by ${iso(by)}, at most ${counted(settings.resumesPerRun, 'job')} a run; ${order}.`;
  return {
    code: late === undefined ? 'suspension-ended' : 'sweeper-late',
    sentences: [ended, late ?? pace, ...afterwards(facts, job, now)],
    next: { verb: 'resume', by: 'sweeper', ...(late === undefined && typeof rate !== 'number' ? { at: by } : {}) },
    facts: { ratePerSecond: typeof rate === 'number' ? rate : undefined },
    verbs,
  };
}

/** What may block it after it is resumed. */
function afterwards(facts: Facts, job: SuspendedJob, now: number): readonly string[] {
  const next = suspensionAtDue(facts, withoutSuspension(job), now);
  const { rules = NO_RULES, deployed } = facts;
  const again = suspensionsOf(job.cause, rules, deployed).find(({ from = now }) => from > now)?.from;
  return [
    ...(again === undefined ? [] : [`It begins again at ${iso(again)}.`]),
    ...(job.dueAt > now ? [`It is due at ${iso(job.dueAt)} and waits until then.`] : []),
    ...(next === undefined ? [] : [`Then it meets another suspension. ${suspensionText(next)}`]),
  ];
}

function withoutHandler(facts: FactsIn<'suspended'>, now: number): ExplanationDraft {
  const { settings, workers = [], sweeper, cause } = facts;
  const { job } = facts.located;
  const known = knownSince(workers, job, job.suspendedAt);
  const from = known ? now : Math.max(now, job.tryAt ?? now);
  const by = nextTickBy(from, settings.sweeperIntervalMs);
  const late = lateHeartbeat('sweeper', sweeper, settings, now);
  const versions = workers.filter(({ worker }) => worker === job.worker);
  const fits = (one: ReportedWorker): boolean => canRun(one, job);
  const having = versions.filter(fits).map(({ version }) => version);
  const without = versions.filter((one) => !fits(one)).map(({ version }) => version);
  const code = isNewerVersion(job.cause) ? 'newer-version' : isUnknownCodec(job.cause) ? 'unknown-codec' : 'no-handler';
  const lost = cause === 'none';
  return {
    code: lost || late === undefined ? code : 'sweeper-late',
    sentences: [
      `Worker ${job.worker} had no handler for ${code === 'no-handler' ? `the type ${job.type}` : handledBy(job)} when it met the job at ${iso(job.suspendedAt)}${job.tries === undefined ? '' : ` (${counted(job.tries, 'time')} so far)`}.`,
      ...(having.length === 0 ? [] : [`A handler is in ${having.length === 1 ? 'version' : 'versions'} ${having.join(', ')}.`]),
      ...(without.length === 0 ? [] : [`None is in ${without.length === 1 ? 'version' : 'versions'} ${without.join(', ')}.`]),
      lost
        ? 'The sweeper no longer knows of it: use resumeJob.'
        : (late ??
          (known
            ? `One that has it reported since, so the sweeper tries the job again at the latest at ${iso(by)}.`
            : `The sweeper tries it again at the latest at ${iso(by)}, or as soon as a version that has one reports.`)),
    ],
    next: lost ? { verb: 'resume', by: 'operator' } : { verb: 'resume', by: 'sweeper', ...(late === undefined ? { at: by } : {}) },
    facts: { tryAt: job.tryAt === undefined ? undefined : iso(job.tryAt), tries: job.tries },
    verbs: ['workers', 'resumeJob', 'cancel'],
  };
}
