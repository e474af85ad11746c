import { html } from 'hono/html';
import type { JobView } from '../../operate/jobs/job-view.ts';
import type { Html, Session } from '../page.ts';
import { facts } from '../parts/facts.ts';
import { href, link } from '../parts/links.ts';
import type { Cell } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { jobsHref } from './job-query.ts';

type Entry = readonly [name: string, value: Cell];

/** The attributes of a job, those of its state first. */
export function jobFacts(session: Session, job: JobView): Html {
  return facts([...stateFacts(session, job), ...belongings(session, job), ...course(session, job)]);
}

function stateFacts(session: Session, job: JobView): readonly Entry[] {
  const at = (name: string, date: Date | undefined): Entry => [name, date === undefined ? undefined : when(date, session)];
  return [
    at('Failed', job.failedAt),
    ['Reason', job.reason],
    [
      'Error group',
      job.fingerprint === undefined ? undefined : link(href(['dead-letters', job.fingerprint]), job.fingerprint.slice(0, 12)),
    ],
    ['Request', job.requestId],
    at('Suspended', job.suspendedAt),
    ['Cause', job.cause === undefined ? undefined : link(jobsHref({ state: 'suspended', cause: job.cause }), job.cause)],
    at('Handler looked for again', job.tryAt),
    at('Parked', job.parkedAt),
    ['Limit', job.limit === undefined ? undefined : link(href(['limits']), job.limit)],
    ['Waits for', job.state === 'parked' && job.limit === undefined ? link(href(['groups']), 'the order of its group') : undefined],
    ['Held by', job.lockOwner],
    at('Lease until', job.lockExpiresAt),
    ['Progress', job.progress === undefined ? job.progressText : `${job.progress} % ${job.progressText ?? ''}`],
    ['Asked to stop', job.cancelRequested === true ? ['by', job.cancelledBy ?? 'unknown', job.cancelReason ?? ''].join(' ') : undefined],
    ['Outcome', job.outcome],
    at('Started', job.startedAt),
    at('Finished', job.finishedAt),
  ];
}

function belongings(session: Session, job: JobView): readonly Entry[] {
  const list = (name: string, value: string | undefined, to: string): Entry => [name, value === undefined ? undefined : link(to, value)];
  const { group, tenant, correlationId, batch, schedule, callbackOf } = job;
  return [
    list('Tenant', tenant, jobsHref({ tenant: tenant ?? '' })),
    list('Group', group, jobsHref({ group: group ?? '' })),
    ['Group is', job.exclusive === false ? 'a label only' : job.holdsBack === true ? 'held back until this job has ended' : undefined],
    list('Correlation id', correlationId, jobsHref({ correlationId: correlationId ?? '' })),
    ['Unique key', job.key],
    ['Key held until', job.keyExpiresAt === undefined ? undefined : when(job.keyExpiresAt, session)],
    ['Trace', job.traceparent],
    list('Batch', batch, jobsHref({ batch: batch ?? '' })),
    list('Callback of batch', callbackOf, jobsHref({ batch: callbackOf ?? '' })),
    list('Schedule', schedule, href(['schedules', schedule ?? ''])),
  ];
}

function course(session: Session, job: JobView): readonly Entry[] {
  const some = (name: string, count: number | undefined): Entry => [name, count === undefined || count === 0 ? undefined : count];
  return [
    ['Due', when(job.dueAt, session)],
    ['Has to start by', job.startBy === undefined ? undefined : when(job.startBy, session)],
    ['Stands for', job.nominalAt === undefined ? undefined : when(job.nominalAt, session)],
    ['Enqueued by', job.backfill === true ? 'a backfill' : undefined],
    ['Created', when(job.createdAt, session)],
    ['Worker', job.worker],
    ['Lane', job.lane],
    ['Priority', html`${job.priority}${job.priorityFrom === undefined ? '' : html` <span class="hint">from ${job.priorityFrom}</span>`}`],
    ['Attempts', job.attempts],
    some('Failures', job.failures),
    some('Crashes alone', job.crashes),
    some('Snoozes', job.snoozes),
    some('Continuations', job.continuations),
    ['Dispatches', job.dispatches],
    some('Chain depth', job.chainDepth),
    ['Tries in all', job.triesLimit],
    ['Retry policy', job.retry],
    ['Exempt from suspensions', job.runNow === true ? 'yes' : undefined],
    ['Revision', job.rev],
  ];
}
