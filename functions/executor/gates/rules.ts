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
import { note } from '../deps.ts';
import type { Candidate, Gate } from './gate.ts';

/** Asks what operators laid down: a suspended job moves aside, one with another priority goes to that priority's lane, once. */
export const rulesGate: Gate = async (batch, candidate) => {
  const { deps } = batch;
  const rules = await deps.rules.current(deps);
  const suspension = suspensionFor(candidate.job, rules, deps.clock.now());
  return suspension === undefined ? toItsLane(batch, candidate, rules) : putAside(batch, candidate, suspension.scope);
};

/** No counter moves: the job was claimed, but never started. */
async function putAside({ deps }: Batch, { job }: Candidate, cause: string): Promise<Disposition> {
  const now = deps.clock.now();
  await deps.rules.listOnce(cause, now, () => listCause(deps.tables, cause, now));
  const moved = await suspend(deps.tables, job, { cause, now });
  if (moved.result === 'suspended') note(deps, job, 'suspended', { reason: toldCause(cause) });
  else await ifNotMoved(deps, job, moved);
  return 'acknowledge';
}

/** Grouped jobs have one queue whatever their priority. */
async function toItsLane({ deps }: Batch, { job }: Candidate, rules: Rules): Promise<'pass' | Disposition> {
  const given = priorityFor(job, rules);
  const queues = deps.deployment.workers.get(job.worker);
  if (given === undefined || queues === undefined || lockGroup(job) !== undefined) return 'pass';
  const lane = laneOfJob({ kind: job.kind, priority: given.priority }, queues);
  if (lane === laneInUse(job.lane, job.priority, queues)) return 'pass';
  const now = deps.clock.now();
  const terms = { token: deps.entropy.token(), now, redispatchAfterMs: deps.deployment.settings.redispatchAfterMs };
  const set = { lane, priority: given.priority, priorityFrom: given.from };
  const back = await returnToQueue(deps.tables, job, { sameAttempt: true, set }, terms);
  if (back.result === 'ready') {
    note(deps, job, 'rerouted', { reason: lane });
    await sendHints(deps, [back.job], now);
  } else await ifNotMoved(deps, job, back);
  return 'acknowledge';
}

async function ifNotMoved(deps: Batch['deps'], job: Candidate['job'], answer: Lost | CancelAsked): Promise<void> {
  if (!(await ifCancelled(deps, job, answer))) note(deps, job, 'lost-lease');
}
