import { inForce } from '../../shared/features/limits/model/operator-limit.ts';
import { nextTickBy } from '../../shared/job/late-tick.ts';
import { iso } from '../../shared/job/instant.ts';
import { isOccurrence, type Job } from '../../shared/job/job.ts';
import type { Row } from '../../shared/ports/tables.ts';
import type { Facts, FactsIn, ExplanationDraft } from './facts.ts';
import { goneWorker, lastFailure, lateHeartbeat, operatorsWord, scheduleStop, suspensionAtDue, suspensionText } from './sentences.ts';

/** Explains a timer: what makes it ready, the latest time for that, and what may block it then. */
export function explainWaiting(facts: FactsIn<'timers'>, now: number): ExplanationDraft {
  const { settings, acquirer } = facts;
  const { job } = facts.located;
  const fireFrom = job.dueAt - settings.horizonMs;
  const fireBy = nextTickBy(Math.max(now, fireFrom), settings.acquirerIntervalMs);
  const late = lateHeartbeat('acquirer', acquirer, settings, now);
  const why = whyLater(facts, job, now);
  const stop = stopOf(facts, job, now);
  const overdue = late !== undefined && now >= fireFrom;
  const behind = late === undefined ? behindIn(acquirer?.report) : [];
  return {
    code: overdue ? 'acquirer-late' : (stop?.code ?? why.code),
    sentences: [
      why.text,
      overdue ? 'It lies in Timers, and should be on its way to its queue.' : firingText(job, { now, fireFrom, fireBy }),
      ...(late === undefined ? behind : [late]),
      ...(stop === undefined ? [] : [stop.text]),
      ...operatorsWord(job),
    ],
    next: { verb: 'fire', by: 'acquirer', ...(late === undefined && behind.length === 0 ? { at: fireBy } : {}) },
    facts: { dueAt: iso(job.dueAt), acquirerAt: acquirer?.at === undefined ? undefined : iso(acquirer.at), ...why.facts, ...stop?.facts },
    verbs: verbsFor(facts, job, stop?.code === 'held-by-suspension'),
  };
}

function verbsFor({ workerKnown }: Facts, job: Job, held: boolean): readonly string[] {
  const lift = held ? ['resume'] : [];
  if (isOccurrence(job)) return [...lift, 'schedules.runNow', 'schedules.pause'];
  return [...lift, workerKnown ? 'runNow' : 'move', 'setDueDate', 'setPriority', 'breakpoint', 'cancel'];
}

function firingText(
  { dueAt }: Job,
  { now, fireFrom, fireBy }: { readonly now: number; readonly fireFrom: number; readonly fireBy: number },
): string {
  const by = `at the latest at ${iso(fireBy)}`;
  if (now < fireFrom) return `It lies in Timers; the acquirer makes it ready ahead of its time, ${by}, and it starts when it is due.`;
  if (now < dueAt) return `It lies in Timers; the acquirer makes it ready at its next run, ${by}, and it starts when it is due.`;
  return `It lies in Timers and is late; the acquirer makes it ready at its next run, ${by}, and it starts then.`;
}

/** It stops before its deadline, and a shard may fail; the next run begins with another one. */
function behindIn(report: Row = {}): readonly string[] {
  const unfinished = Number(report['unfinished'] ?? 0) + Number(report['failed'] ?? 0);
  return unfinished > 0
    ? [`The acquirer did not get through all of its 64 shards in its last run (${unfinished} were left), so it may come later.`]
    : [];
}

type Reason = Pick<ExplanationDraft, 'code' | 'facts'> & { readonly text: string };

/** Why a job is due later, whether it is in Timers or waits for a delayed message. */
export function whyLater({ rates = [], schedule, rules }: Facts, job: Job, now: number): Reason {
  const due = iso(job.dueAt);
  const late = job.dueAt <= now;
  if (rates.length > 0) {
    const closed = rates.find((name) => rules !== undefined && inForce({ name, n: 1 }, rules.others).n === 0);
    if (closed !== undefined) {
      const text = `It asks again at ${due}: an operator set the rate limit ${closed} to 0, so that nothing starts under it.`;
      return { code: 'rate-limited', text, facts: { limit: closed } };
    }
    const text = `It waits for the start that it booked for ${due} under the rate limit ${rates.join(', ')}; that is no failure and counts as no attempt.`;
    return { code: 'rate-limited', text, facts: { limit: rates.join(', ') } };
  }
  if (job.schedule !== undefined && isOccurrence(job)) return ofSchedule(job, schedule);
  if (job.error !== undefined && job.starts > 0) {
    const snoozed = job.snoozes === 0 ? '' : ` (its handler put it off ${job.snoozes === 1 ? 'once' : `${job.snoozes} times`} besides)`;
    return {
      code: 'retry-later',
      text: [...lastFailure(job), `It ${late ? 'was to be' : 'is'} tried again at ${due}${snoozed}.`].join(' '),
      facts: { failures: job.failures },
    };
  }
  if (job.snoozes > 0) return { code: 'due-later', text: `Its handler snoozed it until ${due}.`, facts: { snoozes: job.snoozes } };
  return { code: 'due-later', text: late ? `It was due at ${due}.` : `It is not due before ${due}.` };
}

function ofSchedule(job: Job, schedule: Facts['schedule']): Reason {
  const nominal = job.nominalAt === undefined || job.nominalAt === job.dueAt ? '' : `, which stands for ${iso(job.nominalAt)}`;
  const next = typeof schedule === 'object' && schedule.next?.id === job.id ? 'the next occurrence' : 'an occurrence';
  return {
    code: 'next-of-schedule',
    text: `It is ${next} of the schedule ${job.schedule}${nominal}, and due at ${iso(job.dueAt)}.`,
    facts: { schedule: job.schedule },
  };
}

/** What will block the job when it is due, as of now: the gates in their order. */
export function stopOf(facts: Facts, job: Job, now: number): Reason | undefined {
  if (!facts.workerKnown) return { code: 'worker-gone', text: goneWorker(job.worker) };
  const suspension = suspensionAtDue(facts, job, now);
  if (suspension !== undefined) {
    const text = `${suspensionText(suspension)} If that still holds when its turn comes, it moves to Suspended instead of starting, and no counter moves.`;
    return { code: 'held-by-suspension', text, facts: { cause: suspension.scope } };
  }
  if (facts.batchCancelled === true) {
    const text = `Its batch ${job.batch} was cancelled: it ends as cancelled when its turn comes, instead of starting.`;
    return { code: 'stopped-by-batch', text, facts: { batch: job.batch } };
  }
  const stopped = scheduleStop(facts, job);
  return stopped === undefined ? undefined : { code: 'stopped-by-schedule', text: stopped, facts: { schedule: job.schedule } };
}
