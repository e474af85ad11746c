import { nextTickBy } from '../../core/heartbeat.ts';
import { iso, storedInstant } from '../../core/instant.ts';
import type { SuspendedJob } from '../../core/job.ts';
import { isInForce, isScope, NO_RULES } from '../../features/rules/model/rules.ts';
import { withoutSuspension, BREAKPOINT } from '../../store/suspend.ts';
import { handles, knownSince } from '../../features/workers/store/worker-rows.ts';
import type { Facts, FactsIn, Told } from './facts.ts';
import { counted, goneWorker, lateBeat, scopeInWords, sentenceOf, suspensionAtDue, suspensionText } from './sentences.ts';

/** Explains a job that was moved aside: what holds it, who lets it go, and what it meets then. */
export function explainSuspended(facts: FactsIn<'suspended'>, now: number): Told {
  const { job } = facts.located;
  const told = job.cause === BREAKPOINT ? atBreakpoint(job) : isScope(job.cause) ? bySuspension(facts, now) : withoutHandler(facts, now);
  const kept = 'It lies in Suspended, and no counter of it moved.';
  return {
    ...told,
    sentences: [...told.sentences, kept, ...(facts.workerKnown ? [] : [goneWorker(job.worker)])],
    facts: { cause: job.cause, suspendedAt: iso(job.suspendedAt), ...told.facts },
  };
}

function atBreakpoint({ suspendedAt, reason }: SuspendedJob): Told {
  return {
    code: 'breakpoint',
    sentences: [
      `An operator stopped it at ${iso(suspendedAt)}${reason === undefined ? '.' : `: ${sentenceOf(reason)}`}`,
      'Nothing but an operator lets it go: activateJob puts it back as it was, runNow starts it at once.',
    ],
    next: { verb: 'activate', by: 'operator' },
    facts: { reason },
    verbs: ['activateJob', 'runNow', 'cancel'],
  };
}

function bySuspension(facts: FactsIn<'suspended'>, now: number): Told {
  const { settings, rules = NO_RULES } = facts;
  const { job } = facts.located;
  const suspension = rules.suspensions.get(job.cause);
  if (suspension === undefined || !isInForce(suspension, now)) return afterSuspension(facts, now);
  const { until, actor, reason } = suspension;
  const by = until === undefined ? undefined : nextTickBy(until, settings.sweeperIntervalMs);
  return {
    code: 'held-by-suspension',
    sentences: [
      suspensionText(suspension),
      `The job was met at ${iso(job.suspendedAt)} and moved aside.`,
      by === undefined
        ? 'It is let go when somebody lifts that with activate; runNow starts this one alone.'
        : `The sweeper lets it go at the latest at ${iso(by)}, as far as ${counted(settings.activationsPerRun, 'job')} a run go round; activate lifts it before, runNow starts this one alone.`,
    ],
    next: by === undefined ? { verb: 'activate', by: 'operator' } : { verb: 'activate', by: 'sweeper', at: by },
    facts: { reason, actor, until: until === undefined ? undefined : iso(until) },
    verbs: ['activate', 'runNow', 'cancel'],
  };
}

/** Its suspension is over. The sweeper looks only at causes that have a row; one that lost it would wait for ever. */
function afterSuspension(facts: FactsIn<'suspended'>, now: number): Told {
  const { settings, cause, sweeper } = facts;
  const { job } = facts.located;
  const ended = `${scopeInWords(job.cause)} was suspended when the job was met at ${iso(job.suspendedAt)}, and is not any more.`;
  const verbs = ['activateJob', 'runNow', 'cancel'];
  if (cause === 'none') {
    const lost = 'Nothing tells the sweeper of it any more: let it go with activateJob.';
    return { code: 'suspension-ended', sentences: [ended, lost], next: { verb: 'activate', by: 'operator' }, verbs };
  }
  const late = lateBeat('sweeper', sweeper, settings, now);
  const rate = cause?.['ratePerSecond'];
  const from = Math.max(now, storedInstant(cause?.['releaseFrom']) ?? now);
  const by = nextTickBy(from, settings.sweeperIntervalMs);
  const order = 'those that were suspended first go first';
  const pace =
    typeof rate === 'number'
      ? `The sweeper lets its jobs go at ${rate} a second; ${order}.`
      : `The sweeper lets it go at the latest at ${iso(by)}, as far as ${counted(settings.activationsPerRun, 'job')} a run go round; ${order}.`;
  return {
    code: late === undefined ? 'suspension-ended' : 'sweeper-late',
    sentences: [ended, late ?? pace, ...afterwards(facts, job, now)],
    next: { verb: 'activate', by: 'sweeper', ...(late === undefined && typeof rate !== 'number' ? { at: by } : {}) },
    facts: { ratePerSecond: typeof rate === 'number' ? rate : undefined },
    verbs,
  };
}

/** What it meets when it was let go. */
function afterwards(facts: Facts, job: SuspendedJob, now: number): readonly string[] {
  const next = suspensionAtDue(facts, withoutSuspension(job), now);
  const again = facts.rules?.suspensions.get(job.cause)?.from;
  return [
    ...(again === undefined || again <= now ? [] : [`It is laid down anew from ${iso(again)} on.`]),
    ...(job.dueAt > now ? [`It is due at ${iso(job.dueAt)} and waits until then.`] : []),
    ...(next === undefined ? [] : [`Then it meets another suspension. ${suspensionText(next)}`]),
  ];
}

function withoutHandler(facts: FactsIn<'suspended'>, now: number): Told {
  const { settings, workers = [], sweeper, cause } = facts;
  const { job } = facts.located;
  const known = knownSince(workers, job, job.suspendedAt);
  const from = known ? now : Math.max(now, job.tryAt ?? now);
  const by = nextTickBy(from, settings.sweeperIntervalMs);
  const late = lateBeat('sweeper', sweeper, settings, now);
  const versions = workers.filter(({ worker }) => worker === job.worker);
  const having = versions.filter(({ types }) => handles(types, job.type)).map(({ version }) => version);
  const without = versions.filter(({ types }) => !handles(types, job.type)).map(({ version }) => version);
  const lost = cause === 'none';
  return {
    code: lost || late === undefined ? 'no-handler' : 'sweeper-late',
    sentences: [
      `Worker ${job.worker} had no handler for the type ${job.type} when it met the job at ${iso(job.suspendedAt)}${job.tries === undefined ? '' : ` (${counted(job.tries, 'time')} so far)`}.`,
      ...(having.length === 0 ? [] : [`A handler is in ${having.length === 1 ? 'version' : 'versions'} ${having.join(', ')}.`]),
      ...(without.length === 0 ? [] : [`None is in ${without.length === 1 ? 'version' : 'versions'} ${without.join(', ')}.`]),
      lost
        ? 'Nothing tells the sweeper of it any more: let it go with activateJob.'
        : (late ??
          (known
            ? `One that has it reported since, so the sweeper tries the job again at the latest at ${iso(by)}.`
            : `The sweeper tries it again at the latest at ${iso(by)}, or as soon as a version that has one reports.`)),
    ],
    next: lost ? { verb: 'activate', by: 'operator' } : { verb: 'activate', by: 'sweeper', ...(late === undefined ? { at: by } : {}) },
    facts: { tryAt: job.tryAt === undefined ? undefined : iso(job.tryAt), tries: job.tries },
    verbs: ['workers', 'activateJob', 'cancel'],
  };
}
