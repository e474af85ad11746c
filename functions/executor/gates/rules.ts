import { lockGroup } from '../../../shared/core/hint.ts';
import { laneInUse, laneOfJob } from '../../../shared/core/lanes.ts';
import { priorityFor, type Rules, suspensionFor, toldCause } from '../../../shared/features/rules/model/rules.ts';
import { returnToQueue } from '../../../shared/store/return-to-queue.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import type { CancelAsked, Lost } from '../../../shared/store/settled.ts';
import { listCause, suspend } from '../../../shared/store/suspend.ts';
import type { Batch } from '../batch.ts';
import { ifCancelled } from '../if-cancelled.ts';
import type { Disposition } from '../requeue.ts';
import { note } from '../parts.ts';
import type { Candidate, Gate } from './gate.ts';

/** Asks what operators laid down: a suspended job moves aside, one with another priority goes to that priority's lane, once. */
export const rulesGate: Gate = async (batch, candidate) => {
  const { parts } = batch;
  const rules = await parts.rules.current(parts);
  const suspension = suspensionFor(candidate.job, rules, parts.clock.now());
  return suspension === undefined ? toItsLane(batch, candidate, rules) : putAside(batch, candidate, suspension.scope);
};

/** No counter moves: the job was claimed, but never started. */
async function putAside({ parts }: Batch, { job }: Candidate, cause: string): Promise<Disposition> {
  const now = parts.clock.now();
  await parts.rules.listOnce(cause, now, () => listCause(parts.tables, cause, now));
  const moved = await suspend(parts.tables, job, { cause, now });
  if (moved.result === 'suspended') note(parts, job, 'suspended', { reason: toldCause(cause) });
  else await ifNotMoved(parts, job, moved);
  return 'acknowledge';
}

/** Grouped jobs have one queue whatever their priority. */
async function toItsLane({ parts }: Batch, { job }: Candidate, rules: Rules): Promise<'pass' | Disposition> {
  const given = priorityFor(job, rules);
  const queues = parts.deployment.workers.get(job.worker);
  if (given === undefined || queues === undefined || lockGroup(job) !== undefined) return 'pass';
  const lane = laneOfJob({ kind: job.kind, priority: given.priority }, queues);
  if (lane === laneInUse(job.lane, job.priority, queues)) return 'pass';
  const now = parts.clock.now();
  const terms = { token: parts.entropy.token(), now, redispatchAfterMs: parts.deployment.settings.redispatchAfterMs };
  const set = { lane, priority: given.priority, priorityFrom: given.from };
  const back = await returnToQueue(parts.tables, job, { sameAttempt: true, set }, terms);
  if (back.result === 'ready') {
    note(parts, job, 'rerouted', { reason: lane });
    await sendHints(parts, [back.job], now);
  } else await ifNotMoved(parts, job, back);
  return 'acknowledge';
}

async function ifNotMoved(parts: Batch['parts'], job: Candidate['job'], answer: Lost | CancelAsked): Promise<void> {
  if (!(await ifCancelled(parts, job, answer))) note(parts, job, 'lost-lease');
}
