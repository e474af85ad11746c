import { lockGroup } from '../../../shared/job/hint.ts';
import { laneInUse, laneOfJob } from '../../../shared/job/lanes.ts';
import { priorityFor, type Rules, suspensionFor, causeForLogs } from '../../../shared/features/rules/model/rules.ts';
import { runAgain } from '../../../shared/store/run-again.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import type { CancelAsked, Lost } from '../../../shared/store/transact-while-leased.ts';
import { listCause, suspend } from '../../../shared/store/suspend.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { ifCancelled, note, type Candidate, type Gate } from '../held-job.ts';
import type { Disposition } from '../receive.ts';

/** Applies the operators' rules: a suspended job moves to Suspended, one with an overridden priority to that priority's lane, once. */
export const rulesGate: Gate = async (invocation, candidate) => {
  const { deps } = invocation;
  const rules = await deps.rules.current(deps);
  const suspension = suspensionFor(candidate.job, rules, deps.clock.now(), deps.deployment.workers);
  return suspension === undefined ? toItsLane(invocation, candidate, rules) : suspendClaimed(invocation, candidate, suspension.scope);
};

/** Changes no counter: the job was claimed but never started. */
async function suspendClaimed({ deps }: ExecutorInvocation, { job }: Candidate, cause: string): Promise<Disposition> {
  const now = deps.clock.now();
  await deps.rules.listOnce(cause, now, () => listCause(deps.tables, cause, now));
  const moved = await suspend(deps.tables, job, { cause, now });
  if (moved.result === 'suspended') note(deps, job, 'suspended', { reason: causeForLogs(cause) });
  else await afterRefusal(deps, job, moved);
  return 'acknowledge';
}

/** Grouped jobs have one queue for all priorities. */
async function toItsLane({ deps }: ExecutorInvocation, { job }: Candidate, rules: Rules): Promise<'pass' | Disposition> {
  const given = priorityFor(job, rules);
  const queues = deps.deployment.workers.get(job.worker);
  if (given === undefined || queues === undefined || lockGroup(job) !== undefined) return 'pass';
  const lane = laneOfJob({ kind: job.kind, priority: given.priority }, queues);
  if (lane === laneInUse(job.lane, job.priority, queues)) return 'pass';
  const now = deps.clock.now();
  const terms = { token: deps.entropy.token(), now, redispatchAfterMs: deps.deployment.settings.redispatchAfterMs };
  const set = { lane, priority: given.priority, priorityFrom: given.from };
  const back = await runAgain(deps.tables, job, { sameAttempt: true, set }, terms);
  if (back.result === 'ready') {
    note(deps, job, 'rerouted', { reason: lane });
    await sendHints(deps, [back.job], now);
  } else await afterRefusal(deps, job, back);
  return 'acknowledge';
}

async function afterRefusal(deps: ExecutorInvocation['deps'], job: Candidate['job'], answer: Lost | CancelAsked): Promise<void> {
  if (!(await ifCancelled(deps, job, answer))) note(deps, job, 'lost-lease');
}
