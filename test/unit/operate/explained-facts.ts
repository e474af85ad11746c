import type { Facts } from '../../../operate/explain/facts.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';
import type { JobState } from '../../../shared/job/job.ts';
import type { Suspension } from '../../../shared/features/rules/model/rules.ts';
import type { Located } from '../../../shared/store/locate.ts';
import { NOON, sampleJob } from '../job/sample-job.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Those of a deployment that says nothing. */
export const settings = resolveSettings();
const fresh = { at: NOON, report: {} };
/** One without an end. */
export const suspension: Suspension = { scope: 'type#invoice.send', reason: 'bank is down', actor: 'anna', at: NOON - HOUR };

/** A job in a state, as a look at its row gives it. */
function located(state: JobState, more: object = {}): Located {
  const job = { ...sampleJob(), lockOwner: 'queue/0/t', lockExpiresAt: NOON + 2 * MINUTE, ...more };
  const held = { cause: suspension.scope, suspendedAt: NOON - MINUTE, from: 'jobs', ...more };
  const dead = { reason: 'failed', failedAt: NOON, fingerprint: 'f', ...more };
  const places: Readonly<Record<JobState, object>> = {
    waiting: { table: 'timers', key: { shard: '00', due: '' }, job },
    parked: { table: 'timers', key: { shard: 'limit#h', due: '' }, job },
    ready: { table: 'jobs', key: {}, job },
    running: { table: 'jobs', key: {}, job: { ...job, lockOwner: 'run/r', ...more } },
    suspended: { table: 'suspended', key: {}, job: { ...job, ...held } },
    dead: { table: 'deadLetters', key: {}, job: { ...job, ...dead } },
    finished: { table: 'history', key: {}, job: { ...job, outcome: 'completed', finishedAt: NOON, ...more } },
  };
  return { state, ...places[state] } as Located;
}

/** What is read of such a job while everything ticks. */
export const facts = (state: JobState, job: object = {}, more: Partial<Facts> = {}): Facts => ({
  located: located(state, job),
  settings,
  deployed: new Map(),
  workerKnown: true,
  groupQueue: true,
  acquirer: fresh,
  sweeper: fresh,
  ...more,
});
